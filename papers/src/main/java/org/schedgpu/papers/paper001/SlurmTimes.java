package org.schedgpu.papers.paper001;

/**
 * What Slurm adds, in real seconds; the demo's time runs {@link #SCALE} times faster than that of
 * the paper's test-bed, so that each of them counts so many times. Measured on runs of the demo,
 * the same for all configurations.
 */
final class SlurmTimes {
  /** How many times faster the demo runs. */
  static final double SCALE = 20;

  /** From a submission to the start of the program: Slurm starts batch jobs once a second. */
  static final double START_S = 1.0;

  /** From the end of a job to the start of the job that waits for its GPU. */
  static final double NEXT_S = 0.65;

  /** Between two calls of sbatch. */
  static final double SUBMIT_S = 0.02;

  private static final double NS = 1e9;

  private SlurmTimes() {}

  /** In nanoseconds of the paper's test-bed. */
  static long scaledNs(double realS) {
    return (long) (realS * SCALE * NS);
  }
}
