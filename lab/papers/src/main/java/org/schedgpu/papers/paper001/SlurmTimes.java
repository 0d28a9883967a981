package org.schedgpu.papers.paper001;

/**
 * What Slurm adds, in real seconds; the demo's time runs {@link #SCALE} times faster than that of
 * the paper's test-bed, so that each of them counts so many times. They are measured on runs of the
 * demo, and are the same for all configurations.
 */
final class SlurmTimes {
  /** How many times faster the demo runs. */
  static final double SCALE = 20;

  /** From a submission to the start of the program: slurmctld launches batch jobs once a second. */
  static final double START_S = 1.0;

  /**
   * From the end of a job to the start of the job that waits for its GPU: anything up to a second,
   * since slurmctld schedules once a second; half of it on average.
   */
  static final double NEXT_S = 0.5;

  /** Between the starts of two jobs of one launch. */
  static final double BETWEEN_STARTS_S = 0.01;

  private static final double NS = 1e9;

  private SlurmTimes() {}

  /** In nanoseconds of the paper's test-bed. */
  static long scaledNs(double realS) {
    return (long) (realS * SCALE * NS);
  }
}
