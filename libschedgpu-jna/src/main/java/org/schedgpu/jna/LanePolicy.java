package org.schedgpu.jna;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How the jobs of a lane take turns (enum schedgpu_lane_policy). */
public enum LanePolicy {
  PACK(1),
  SRTF(2),
  FAIR(3),
  FIFO(4),
  SHARE(5);

  private final int number;

  LanePolicy(int number) {
    this.number = number;
  }

  /** The name that users write: {@code fair}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The C value; 0 is a job without a lane. */
  public int number() {
    return number;
  }

  /** The policy that users write so; empty for anything else, also for null. */
  public static Optional<LanePolicy> ofText(String text) {
    return Arrays.stream(values()).filter(policy -> policy.text().equals(text)).findFirst();
  }

  public static Optional<LanePolicy> of(long number) {
    return Arrays.stream(values()).filter(policy -> policy.number == number).findFirst();
  }
}
