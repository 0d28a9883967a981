package org.schedgpu.agent.report;

/**
 * The time of a report, wall clock in ns since the epoch.
 *
 * @param fromNs first moment
 * @param untilNs first moment after it
 */
public record Window(long fromNs, long untilNs) {
  /** A window that is not empty. */
  public Window {
    if (fromNs >= untilNs) {
      throw new IllegalArgumentException("a window from " + fromNs + " until " + untilNs);
    }
  }

  /** How long it is. */
  public long lengthNs() {
    return untilNs - fromNs;
  }

  boolean has(long timeNs) {
    return timeNs >= fromNs && timeNs < untilNs;
  }

  long clip(long timeNs) {
    return Math.max(fromNs, Math.min(untilNs, timeNs));
  }
}
