package org.schedgpu.demo;

import java.util.List;

/**
 * Some trainings that share one device by a lane.
 *
 * @param policy of the lane
 * @param title what it shows
 * @param scale how many times shorter than in full it is
 * @param trainings by their arrival
 * @param together whether all others arrive while the first is in its first iteration: whoever is
 *     late then changes nothing
 */
record Scenario(
    String policy, String title, int scale, List<Training> trainings, boolean together) {
  /** An iteration computes for 30 ms, if the scenario is not shortened. */
  private static final int KERNEL_US = 30_000;

  /** FAIR: three trainings arrive one after the other and end in reverse order (Figure 11). */
  static Scenario fair(int scale, boolean together) {
    return new Scenario(
        "fair",
        "three equal trainings (Salus, Figure 11)",
        scale,
        List.of(
            training("first", 0, 610, scale),
            training("second", 5_000, 280, scale),
            training("third", 10_000, 110, scale)),
        together);
  }

  /** SRTF: short trainings overtake a long one, and each other (Figure 9a). */
  static Scenario srtf(int scale, boolean together) {
    return new Scenario(
        "srtf",
        "short trainings overtake a long one (Salus, Figure 9a)",
        scale,
        List.of(
            training("long", 0, 400, scale),
            training("short-1", 3_000, 50, scale),
            training("short-2", 5_500, 35, scale),
            training("short-3", 8_000, 85, scale),
            training("short-4", 8_500, 34, scale),
            training("short-5", 9_000, 17, scale)),
        together);
  }

  private static Training training(String name, int arrivalMs, int iterations, int scale) {
    return new Training(name, arrivalMs / scale, KERNEL_US / scale, iterations);
  }

  /** A turn of {@code fair} is about one iteration; the default of a region is a second. */
  long quantumMs() {
    return Math.max(1, KERNEL_US / 1000 / scale);
  }

  /** The time over which a throughput is measured. */
  double windowSeconds() {
    return 0.5 / scale;
  }
}
