package org.schedgpu.papers.paper004;

import java.util.Arrays;

/**
 * The columns of Table 2.
 *
 * @param makespan until the last job ends, in minutes
 * @param queuing mean time from arrival to the first iteration, in minutes
 * @param completion mean time from arrival to end, in minutes
 * @param late 95 % of the jobs complete sooner, in minutes
 */
record Figures(double makespan, double queuing, double completion, double late) {
  private static final double MINUTE_NS = 60e9;
  private static final double MOST = 0.95;

  static Figures of(LaneOutcome outcome) {
    double[] completions =
        outcome.jobs().stream().mapToDouble(job -> job.completionNs() / MINUTE_NS).toArray();
    Arrays.sort(completions);
    double queued =
        outcome.jobs().stream().mapToDouble(LaneOutcome.JobRun::queuedNs).average().orElse(0);
    return new Figures(
        outcome.makespanNs() / MINUTE_NS,
        queued / MINUTE_NS,
        Arrays.stream(completions).average().orElse(0),
        completions[(int) (MOST * completions.length)]);
  }
}
