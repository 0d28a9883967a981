package org.schedgpu.simulator.result;

import java.util.Arrays;
import java.util.List;
import org.schedgpu.simulator.engine.Outcome;
import org.schedgpu.simulator.job.Job;

/**
 * A scenario in numbers; times are seconds. Waits end when a job has its memory. A job loses if it
 * ends later than with one job per GPU, by more than 1 % of its time there and more than a second.
 *
 * @param name of the scenario
 * @param jobs that ended
 * @param neverEnded jobs that wait for each other on several nodes
 * @param meanWaitS from submission until a job has its memory
 * @param p95WaitS the 95th percentile of that
 * @param meanCompletionS from submission to the end
 * @param p95CompletionS the 95th percentile of that
 * @param meanSlowdown completion over the time that the job ran, at least 10 s; at least 1
 * @param gpuHours with a job
 * @param losePercent jobs that lose
 * @param medianLossS by how much those lose, in the middle; 0 if none does
 * @param overLimit jobs that ran for longer than their time limit: Slurm would have ended them
 * @param gain of mean completion against one job per GPU; null for that itself
 */
public record Summary(
    String name,
    long jobs,
    long neverEnded,
    double meanWaitS,
    double p95WaitS,
    double meanCompletionS,
    double p95CompletionS,
    double meanSlowdown,
    double gpuHours,
    double losePercent,
    double medianLossS,
    long overLimit,
    Gain gain) {
  private static final double NS = 1e9;
  private static final double HOUR_NS = 3600e9;
  private static final double SHORTEST_NS = 10 * NS;
  private static final double SAME = 1.01;

  /**
   * From outcomes.
   *
   * @param exclusive the outcome with one job per GPU, of the same jobs
   * @param seed of the uncertainty
   */
  public static Summary of(List<Job> jobs, Outcome outcome, Outcome exclusive, long seed) {
    double[] waits = new double[jobs.size()];
    double[] completions = new double[jobs.size()];
    double[] losses = new double[jobs.size()];
    double slowdowns = 0;
    int ended = 0;
    int lose = 0;
    long overLimit = 0;
    for (int i = 0; i < jobs.size(); i++) {
      Job job = jobs.get(i);
      if (outcome.endNs()[i] == Outcome.NEVER) {
        continue;
      }
      double completionNs = outcome.endNs()[i] - job.submitNs();
      double aloneNs = exclusive.endNs()[i] - job.submitNs();
      waits[ended] = (outcome.computeNs()[i] - job.submitNs()) / NS;
      completions[ended] = completionNs / NS;
      slowdowns += Math.max(1, completionNs / Math.max(SHORTEST_NS, (double) job.runNs()));
      if (outcome.endNs()[i] - outcome.startNs()[i] > job.limitNs()) {
        overLimit++;
      }
      if (completionNs > SAME * aloneNs && completionNs - aloneNs > NS) {
        losses[lose++] = (completionNs - aloneNs) / NS;
      }
      ended++;
    }
    waits = sorted(waits, ended);
    completions = sorted(completions, ended);
    losses = sorted(losses, lose);
    return new Summary(
        outcome.scenario().name(),
        ended,
        jobs.size() - ended,
        mean(waits),
        percentile(waits, 95),
        mean(completions),
        percentile(completions, 95),
        slowdowns / Math.max(1, ended),
        outcome.occupiedNs() / HOUR_NS,
        100.0 * lose / Math.max(1, ended),
        percentile(losses, 50),
        overLimit,
        outcome.scenario().isExclusive() ? null : Gain.of(jobs, outcome, exclusive, seed));
  }

  private static double[] sorted(double[] values, int count) {
    double[] some = Arrays.copyOf(values, count);
    Arrays.sort(some);
    return some;
  }

  private static double mean(double... values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return values.length == 0 ? 0 : sum / values.length;
  }

  /** The smallest value that this percentage of them does not exceed. */
  static double percentile(double[] sorted, int percent) {
    if (sorted.length == 0) {
      return 0;
    }
    return sorted[Math.max(0, (int) Math.ceil(sorted.length * percent / 100.0) - 1)];
  }
}
