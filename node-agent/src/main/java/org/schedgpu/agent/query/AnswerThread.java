package org.schedgpu.agent.query;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A thread that computes answers, one at a time. Users take turns, however many questions each has.
 * Used by one other thread.
 */
final class AnswerThread implements AutoCloseable {
  private static final int MAX_USERS = 1024;

  private final ExecutorService thread;
  private final Runnable onAnswer;
  private final Map<Integer, Long> turns = new HashMap<>();
  private long lastTurn;
  private ServerConnection asker;
  private volatile AnswerBuffer answer;

  /**
   * @param onAnswer called by the thread when an answer is ready for {@link #give}
   */
  AnswerThread(String name, Runnable onAnswer) {
    this.onAnswer = onAnswer;
    this.thread =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread made = new Thread(work, name);
              made.setDaemon(true);
              return made;
            });
  }

  /** The thread does this before its first answer. */
  void prepare(Runnable preparation) {
    thread.execute(preparation);
  }

  boolean isFree() {
    return asker == null;
  }

  /** Starts the next question, of the user whose last turn is longest ago. */
  void serve(List<ServerConnection> waiting, Answers answers) {
    waiting.stream()
        .min(
            Comparator.comparingLong(
                conversation -> turns.getOrDefault(conversation.shareOwner(), 0L)))
        .ifPresent(next -> begin(next, answers));
  }

  private void begin(ServerConnection next, Answers answers) {
    if (turns.size() > MAX_USERS) {
      turns.clear(); // a missed signal of one round does not matter
    }
    turns.put(next.shareOwner(), ++lastTurn);
    asker = next;
    String request = next.take();
    int uid = next.uid();
    thread.execute(() -> make(answers, request, uid));
  }

  private void make(Answers answers, String request, int uid) {
    AnswerBuffer text = Answers.error("the agent failed: its log says how");
    try {
      text = answers.to(request, uid);
    } finally {
      answer = text;
      onAnswer.run();
    }
  }

  /** Hands over the answer if it is ready; then the thread is free again. */
  void give() {
    AnswerBuffer made = answer;
    if (made != null) {
      asker.give(made);
      asker = null;
      answer = null;
    }
  }

  /** The present answer is still computed, and then discarded. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
