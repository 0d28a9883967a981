package org.schedgpu.agent.task;

import java.util.OptionalInt;

/**
 * Something the agent does now and then, and at once when its descriptor becomes readable. One
 * thread calls it; it must not wait for long, except in a loop of its own. Whatever it throws is
 * logged, and it is called again.
 */
public interface PeriodicTask extends AutoCloseable {
  /** In one word, for the log. */
  String name();

  /**
   * Does what is due.
   *
   * @param nowNs System.nanoTime(), or when it was due, if that is less than a second ago
   * @return after how many nanoseconds at the latest it is to be called again; from a second on it
   *     may be up to a second less, so that several tasks wake the thread together
   */
  long run(long nowNs);

  /** Readable (poll(2)) when it is to be called at once; it must read it empty. Always the same. */
  default OptionalInt descriptor() {
    return OptionalInt.empty();
  }

  /**
   * For so long after its descriptor called it the descriptor is not looked at: what happens all
   * the time on a full node is noticed together. Asked after each such call.
   */
  default long restNs() {
    return 0;
  }

  @Override
  default void close() {}
}
