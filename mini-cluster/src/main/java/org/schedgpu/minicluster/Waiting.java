package org.schedgpu.minicluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Polls for what another process will do: Slurm has no other way to tell. */
final class Waiting {
  private static final long POLL_MS = 50;

  private Waiting() {}

  /** Whether the condition became true within the limit; asked every 50 ms and once at the end. */
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

  /** What a wait throws when the thread is interrupted; keeps the thread's flag set. */
  static MiniClusterException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new MiniClusterException("interrupted while waiting", e);
  }
}
