package org.schedgpu.minicluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Polls for the result of another process's work, because Slurm has no other way to learn it. */
final class Waiting {
  private static final long POLL_MS = 50;

  private Waiting() {}

  /** True if the condition became true within the limit; tested every 50 ms and once at the end. */
  static boolean until(Duration limit, BooleanSupplier condition) {
    long endNs = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - endNs > 0) {
        return false;
      }
      pause();
    }
    return true;
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_MS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** The exception for an interrupted wait; the thread's interrupt flag stays set. */
  static MiniClusterException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new MiniClusterException("interrupted while waiting", e);
  }
}
