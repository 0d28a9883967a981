package org.schedgpu.agent.report;

import org.schedgpu.agent.history.JobRecord;

/** What a job's times mean to a window. */
final class Jobs {
  /** Waits are measured by another clock than begin and end, which is adjusted now and then. */
  private static final long CLOCKS_DIFFER_NS = 1_000_000_000L;

  private Jobs() {}

  static boolean overlaps(JobRecord job, Window window) {
    return job.begunNs() < window.untilNs() && endNs(job, window) > window.fromNs();
  }

  static boolean runs(JobRecord job) {
    return job.endedNs().isEmpty();
  }

  /** Its end, or that of the window while it runs. */
  static long endNs(JobRecord job, Window window) {
    return job.endedNs().orElse(window.untilNs());
  }

  /** Whether the clock was set back during its life, so that its times say nothing. */
  static boolean outOfTime(JobRecord job, Window window) {
    return endNs(job, window) - job.begunNs() < Math.max(0, job.waitedNs() - CLOCKS_DIFFER_NS);
  }

  /** Whether it waited for memory and ended without. */
  static boolean gaveUp(JobRecord job) {
    return !runs(job) && job.heldNs() == 0 && job.waits() > 0;
  }
}
