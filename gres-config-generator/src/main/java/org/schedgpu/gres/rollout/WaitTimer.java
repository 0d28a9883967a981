package org.schedgpu.gres.rollout;

import java.util.concurrent.TimeUnit;

/**
 * Measures how long a rollout waits for one subject, and pauses between checks, longer each time.
 * Used by one thread.
 */
final class WaitTimer {
  private static final long SHORT_PAUSE_MS = 250;
  private static final long LONG_PAUSE_MS = 10_000;

  private final Ticker ticker;
  private final Report report;
  private Class<?> subject = Object.class;
  private long sinceNs;
  private long pauseMs;

  WaitTimer(Ticker ticker, Report report) {
    this.ticker = ticker;
    this.report = report;
  }

  /** Sets the subject; a new one starts a new wait. */
  void waitFor(Class<?> now) {
    if (now != subject) {
      subject = now;
      sinceNs = ticker.nowNs();
      pauseMs = SHORT_PAUSE_MS;
    }
  }

  boolean isFor(Class<?> what) {
    return subject == what;
  }

  /** The start of this wait, in the ticker's nanoseconds. */
  long sinceNs() {
    return sinceNs;
  }

  long waitedS() {
    return secondsSince(sinceNs);
  }

  long secondsSince(long thenNs) {
    return TimeUnit.NANOSECONDS.toSeconds(ticker.nowNs() - thenNs);
  }

  void pauseBriefly() {
    ticker.pause(SHORT_PAUSE_MS);
  }

  /** Pauses until the next check. */
  void pause(String what) {
    report.progress(what, waitedS());
    ticker.pause(pauseMs);
    pauseMs = Math.min(LONG_PAUSE_MS, pauseMs + pauseMs / 4);
  }
}
