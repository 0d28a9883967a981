package org.schedgpu.gpucheck;

import java.time.Duration;

/** A limit on time. Thread-safe. */
final class Deadline {
  private final long endNs;

  private Deadline(long endNs) {
    this.endNs = endNs;
  }

  static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  /** The earlier of this deadline and {@code time} from now. */
  Deadline within(Duration time) {
    long other = System.nanoTime() + time.toNanos();
    return new Deadline(endNs - other < 0 ? endNs : other);
  }

  /** Never negative. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, endNs - System.nanoTime()));
  }

  boolean isOver() {
    return left().isZero();
  }

  /** True if there is this much time left. */
  boolean allows(Duration time) {
    return left().compareTo(time) >= 0;
  }
}
