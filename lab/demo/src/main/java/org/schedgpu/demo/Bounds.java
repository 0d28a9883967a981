package org.schedgpu.demo;

import java.util.List;

/**
 * Lower bounds for any schedule of the workload, in seconds of the paper's test-bed.
 *
 * @param sequentialSeconds all jobs one after the other: about the time of Slurm as it is
 * @param longestSeconds the longest job when it is alone
 * @param gpuSeconds all kernels, one after the other
 * @param memorySeconds memory times the time for which it is held, of all jobs, over the device's
 *     memory: as if it could always be full
 */
record Bounds(
    double sequentialSeconds, double longestSeconds, double gpuSeconds, double memorySeconds) {

  /**
   * The bounds of four instances each.
   *
   * @param programs the three programs
   */
  static Bounds of(List<Program> programs) {
    double sequential = 0;
    double longest = 0;
    double gpu = 0;
    double memory = 0;
    for (Program program : programs) {
      sequential += Program.INSTANCES * program.aloneSeconds();
      longest = Math.max(longest, program.aloneSeconds());
      gpu += Program.INSTANCES * program.busySeconds();
      memory += Program.INSTANCES * program.averagePercent() / 100 * program.aloneSeconds();
    }
    return new Bounds(sequential, longest, gpu, memory);
  }

  /** The largest of the bounds: the one that counts. */
  double totalSeconds() {
    return Math.max(longestSeconds, Math.max(gpuSeconds, memorySeconds));
  }
}
