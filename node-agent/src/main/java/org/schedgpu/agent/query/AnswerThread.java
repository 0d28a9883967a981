package org.schedgpu.agent.query;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A thread that makes answers, one at a time: users take turns, however many questions each has.
 * Used by one other thread.
 */
final class AnswerThread implements AutoCloseable {
  private static final int MOST_USERS = 1024;

  private final ExecutorService thread;
  private final Runnable onAnswer;
  private final Map<Integer, Long> turns = new HashMap<>();
  private long lastTurn;
  private ServerConnection asker;
  private volatile AnswerBuffer answer;

  /**
   * @param onAnswer called by the thread when there is something to {@link #give}
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

  /** To be done before anything else. */
  void prepare(Runnable preparation) {
    thread.execute(preparation);
  }

  boolean isFree() {
    return asker == null;
  }

  /** Begins with one of those who wait, if there are any: whose user had his turn longest ago. */
  void serve(List<ServerConnection> waiting, Answers answers) {
    waiting.stream()
        .min(
            Comparator.comparingLong(
                conversation -> turns.getOrDefault(conversation.shareOwner(), 0L)))
        .ifPresent(next -> begin(next, answers));
  }

  private void begin(ServerConnection next, Answers answers) {
    if (turns.size() > MOST_USERS) {
      turns.clear(); // that of one round is of no account
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

  /** Hands over the answer, if it is there: then this is free again. */
  void give() {
    AnswerBuffer made = answer;
    if (made != null) {
      asker.give(made);
      asker = null;
      answer = null;
    }
  }

  /** What it is at ends by itself, and nobody hears of it. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
