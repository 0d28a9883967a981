package org.schedgpu.demo;

import java.util.List;

/**
 * A run of the workload. Times are seconds of the paper's test-bed since the first submission.
 *
 * @param kind which run
 * @param jobs in the order of submission
 * @param points what NVML said over time
 * @param exactBusyPercent of the time in which kernels ran, as the emulator counted; negative if it
 *     is not known
 */
record RunResult(RunKind kind, List<JobResult> jobs, List<Point> points, double exactBusyPercent) {

  /**
   * A sample.
   *
   * @param seconds when
   * @param memoryPercent of the device's memory in use
   * @param utilisationPercent of NVML's last sample period in which kernels ran
   */
  record Point(double seconds, double memoryPercent, double utilisationPercent) {}

  /** From the first submission to the end of the last job. */
  double totalSeconds() {
    return jobs.stream().mapToDouble(job -> job.run().to()).max().orElse(0);
  }

  long count(JobResult.Outcome outcome) {
    return jobs.stream().filter(job -> job.outcome() == outcome).count();
  }

  /** The average over the samples, which have equal distances. */
  double memoryUsedPercent() {
    return points.stream().mapToDouble(Point::memoryPercent).average().orElse(0);
  }

  /** As {@link #memoryUsedPercent}. */
  double gpuUtilisationPercent() {
    return points.stream().mapToDouble(Point::utilisationPercent).average().orElse(0);
  }

  /** True if a job was lost in a run that must not lose any. */
  boolean lostJobs() {
    return kind != RunKind.UNSAFE && count(JobResult.Outcome.COMPLETED) < jobs.size();
  }
}
