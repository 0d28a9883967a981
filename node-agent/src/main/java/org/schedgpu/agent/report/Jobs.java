package org.schedgpu.agent.report;

import org.schedgpu.agent.history.JobRecord;

/** Converts a job's times to a window. */
final class Jobs {
  /** Waits are measured with another clock than begin and end, which is sometimes adjusted. */
  private static final long CLOCKS_DIFFER_NS = 1_000_000_000L;

  private Jobs() {}

  static boolean overlaps(JobRecord job, Window window) {
    return job.begunNs() < window.untilNs() && endNs(job, window) > window.fromNs();
  }

  static boolean runs(JobRecord job) {
    return job.endedNs().isEmpty();
  }

  /** Its end, or the end of the window while it runs. */
  static long endNs(JobRecord job, Window window) {
    return job.endedNs().orElse(window.untilNs());
  }

  /** True if the clock was set back during its life, so that its times are useless. */
  static boolean outOfTime(JobRecord job, Window window) {
    return endNs(job, window) - job.begunNs() < Math.max(0, job.waitedNs() - CLOCKS_DIFFER_NS);
  }

  /** True if it waited for memory and ended without it. */
  static boolean gaveUp(JobRecord job) {
    return !runs(job) && job.heldNs() == 0 && job.waits() > 0;
  }
}
