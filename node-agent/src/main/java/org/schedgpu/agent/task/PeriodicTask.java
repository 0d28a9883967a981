package org.schedgpu.agent.task;

import java.util.OptionalInt;

/**
 * Work that the agent does periodically, and at once when its descriptor becomes readable. One
 * thread calls it; it must not wait long, except in a loop of its own. The loop logs any exception
 * and calls it again.
 */
public interface PeriodicTask extends AutoCloseable {
  /** Its name in one word, for the log. */
  String name();

  /**
   * Does the due work.
   *
   * @param nowNs System.nanoTime(), or the time when the call was due if that is less than a second
   *     ago
   * @return the longest time in nanoseconds until the next call; from a second on the call may be
   *     up to a second earlier, so that several tasks wake the thread together
   */
  long run(long nowNs);

  /**
   * If readable (poll(2)), the task is called at once; the task must read it empty. Always the same
   * descriptor.
   */
  default OptionalInt descriptor() {
    return OptionalInt.empty();
  }

  /**
   * How long the loop ignores the descriptor after it caused a call, so that frequent events on a
   * full node are handled together. Asked after each such call.
   */
  default long restNs() {
    return 0;
  }

  @Override
  default void close() {}
}
