package org.schedgpu.gres.rollout;

import org.schedgpu.gres.common.GresException;

/** Time that passes, and waiting. */
public class Ticker {
  /** Nanoseconds since some moment. */
  long nowNs() {
    return System.nanoTime();
  }

  void pause(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GresException("the run was interrupted", "repeat with --continue", e);
    }
  }
}
