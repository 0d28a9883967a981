package org.schedgpu.gres.rollout;

import org.schedgpu.gres.common.GresException;

/** The clock of a rollout, which tests replace. */
public class Ticker {
  /** Nanoseconds since an arbitrary moment. */
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
