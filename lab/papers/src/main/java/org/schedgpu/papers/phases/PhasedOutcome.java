package org.schedgpu.papers.phases;

import java.util.List;

/**
 * What became of the jobs. Times are nanoseconds since the first submission.
 *
 * @param jobs in their order
 * @param points the device at each change, in the order of time
 * @param busyNs how long at least one kernel ran
 * @param memoryByteNs memory in use times how long, summed
 */
public record PhasedOutcome(
    List<JobOutcome> jobs, List<Point> points, long busyNs, double memoryByteNs) {
  /**
   * A stretch of time.
   *
   * @param fromNs its start
   * @param toNs its end
   */
  public record Span(long fromNs, long toNs) {
    public long ns() {
      return toNs - fromNs;
    }
  }

  /**
   * A job.
   *
   * @param job as it was given
   * @param startNs when the cluster started it; -1 if never
   * @param endNs when it ended; -1 if never
   * @param outOfMemory whether that was because an allocation failed
   * @param waits for memory or a context
   * @param holds from when it had memory to when it had freed it
   * @param slowedNs by how much its kernels took longer than with the device for themselves
   */
  public record JobOutcome(
      PhasedJob job,
      long startNs,
      long endNs,
      boolean outOfMemory,
      List<Span> waits,
      List<Span> holds,
      long slowedNs) {
    public boolean completed() {
      return endNs >= 0 && !outOfMemory;
    }

    /** All its waits together. */
    public long waitNs() {
      return waits.stream().mapToLong(Span::ns).sum();
    }
  }

  /**
   * The device from a time on.
   *
   * @param atNs when
   * @param usedBytes allocations and contexts
   * @param kernels that run
   */
  public record Point(long atNs, long usedBytes, int kernels) {}

  /** The end of the last job. */
  public long totalNs() {
    return jobs.stream().mapToLong(JobOutcome::endNs).max().orElse(0);
  }

  public long completed() {
    return jobs.stream().filter(JobOutcome::completed).count();
  }
}
