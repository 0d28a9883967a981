package org.schedgpu.agent.server;

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

  private final Protocol protocol;
  private final int number;
  private final ExecutorService thread;
  private final Runnable onAnswer;
  private final Map<Integer, Long> turns = new HashMap<>();
  private long lastTurn;
  private Connection asker;
  private volatile AnswerBuffer answer;

  /**
   * Prepares at once.
   *
   * @param number of the thread in the protocol
   * @param onAnswer called by the thread when an answer is ready for {@link #give}
   */
  AnswerThread(Protocol protocol, int number, Runnable onAnswer) {
    this.protocol = protocol;
    this.number = number;
    this.onAnswer = onAnswer;
    this.thread =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread made = new Thread(work, protocol.threads().get(number));
              made.setDaemon(true);
              return made;
            });
    thread.execute(() -> protocol.prepare(number));
  }

  int number() {
    return number;
  }

  boolean isFree() {
    return asker == null;
  }

  /** Starts the next question, of the user whose last turn is longest ago. */
  void serve(List<Connection> waiting) {
    waiting.stream()
        .min(
            Comparator.comparingLong(
                conversation -> turns.getOrDefault(conversation.shareOwner(), 0L)))
        .ifPresent(this::begin);
  }

  private void begin(Connection next) {
    if (turns.size() > MAX_USERS) {
      turns.clear(); // a missed signal of one round does not matter
    }
    turns.put(next.shareOwner(), ++lastTurn);
    asker = next;
    byte[] request = next.take();
    int uid = next.uid();
    thread.execute(() -> make(request, uid));
  }

  private void make(byte[] request, int uid) {
    AnswerBuffer text = protocol.refusal("the agent failed: its log says how");
    try {
      text = protocol.answer(request, uid);
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
