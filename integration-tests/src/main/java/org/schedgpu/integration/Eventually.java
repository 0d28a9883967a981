package org.schedgpu.integration;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for what another process will do. The limit is generous: it is there to end a broken test,
 * never to measure.
 */
final class Eventually {
  static final Duration LIMIT = Duration.ofMinutes(5);
  private static final long POLL_MS = 15;

  private Eventually() {}

  /**
   * Waits until the condition holds.
   *
   * @param what the condition in words
   * @param situation asked for if it does not come to hold: what there is instead
   */
  static void that(String what, BooleanSupplier condition, Supplier<String> situation) {
    long endNs = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - endNs > 0) {
        throw new AssertionError("not within %s: %s%n%s".formatted(LIMIT, what, situation.get()));
      }
      pause();
    }
  }

  /** Waits until there is such a file. */
  static void exists(Path file, Supplier<String> situation) {
    that("a file " + file, () -> Files.exists(file), situation);
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
