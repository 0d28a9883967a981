package org.schedgpu.agent.log;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Bounds what others can make the agent log, because any user may repeat a request that fails: a
 * stack of the same place three times a minute, warnings and errors three hundred times. What was
 * left out is counted in the next message. Events of jobs are not limited here: there is one for
 * each thing that a job does. Thread-safe.
 */
final class LogLimit implements Filter {
  private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_STACKS = 3;
  private static final int MAX_PROBLEMS = 300;

  private final LongSupplier clockNs;
  private final Map<String, Integer> stacks = new HashMap<>();
  private long begunNs;
  private int problems;
  private int leftOut;

  /**
   * @param clockNs as System.nanoTime
   */
  LogLimit(LongSupplier clockNs) {
    this.clockNs = clockNs;
    this.begunNs = clockNs.getAsLong();
  }

  @Override
  public synchronized boolean isLoggable(LogRecord message) {
    long nowNs = clockNs.getAsLong();
    if (nowNs - begunNs >= MINUTE_NS) {
      begunNs = nowNs;
      problems = 0;
      stacks.clear();
    }
    if (isTooMuch(message)) {
      leftOut++;
      return false;
    }
    if (leftOut > 0) {
      message.setMessage(
          "%s (before this, %d messages were left out: too many of their kind)"
              .formatted(message.getMessage(), leftOut));
      leftOut = 0;
    }
    return true;
  }

  private boolean isTooMuch(LogRecord message) {
    if (message.getLevel().intValue() < Level.WARNING.intValue()) {
      return false;
    }
    if (message.getThrown() != null
        && stacks.merge(place(message.getThrown()), 1, Integer::sum) > MAX_STACKS) {
      return true;
    }
    return ++problems > MAX_PROBLEMS;
  }

  private static String place(Throwable thrown) {
    StackTraceElement[] stack = thrown.getStackTrace();
    return thrown.getClass().getName() + (stack.length == 0 ? "" : stack[0]);
  }
}
