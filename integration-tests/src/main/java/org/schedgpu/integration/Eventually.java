package org.schedgpu.integration;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for another process. The limit is generous: it ends a broken test, and never measures. */
final class Eventually {
  static final Duration LIMIT = Duration.ofMinutes(5);
  private static final long POLL_MS = 15;

  private Eventually() {}

  /**
   * Waits until the condition holds.
   *
   * @param what the condition in words
   * @param situation called on failure: describes the present state
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

  /** Waits until the file exists. */
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
