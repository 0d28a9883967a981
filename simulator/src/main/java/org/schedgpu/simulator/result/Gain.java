package org.schedgpu.simulator.result;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.schedgpu.simulator.engine.Outcome;
import org.schedgpu.simulator.job.Job;

/**
 * By how much the mean completion is shorter than with one job per GPU.
 *
 * @param percent of the mean completion there; negative if it is longer
 * @param days on which jobs were submitted
 * @param lowPercent lower end of the interval that has the gain with 95 % certainty; null if there
 *     are fewer than {@link #FEWEST_DAYS} days
 * @param highPercent its upper end, or null
 */
public record Gain(double percent, int days, Double lowPercent, Double highPercent) {
  /** With fewer days the uncertainty is unknown. */
  public static final int FEWEST_DAYS = 7;

  private static final int SAMPLES = 1000;
  private static final double OUTSIDE = 0.025;

  /** True if the uncertainty is known. */
  public boolean hasInterval() {
    return days >= FEWEST_DAYS;
  }

  /**
   * The interval is a bootstrap over days. Jobs of one day depend on each other, so it draws days
   * with replacement, not jobs.
   */
  static Gain of(List<Job> jobs, Outcome outcome, Outcome exclusive, long seed) {
    TreeMap<Integer, double[]> byDay = new TreeMap<>();
    for (int i = 0; i < jobs.size(); i++) {
      if (outcome.endNs()[i] != Outcome.NEVER && exclusive.endNs()[i] != Outcome.NEVER) {
        double[] sums = byDay.computeIfAbsent(jobs.get(i).day(), day -> new double[2]);
        sums[0] += exclusive.endNs()[i] - jobs.get(i).submitNs();
        sums[1] += outcome.endNs()[i] - jobs.get(i).submitNs();
      }
    }
    double[][] days = byDay.values().toArray(double[][]::new);
    int[] each = new int[days.length];
    Arrays.setAll(each, day -> day);
    double percent = percent(days, each);
    if (days.length < FEWEST_DAYS) {
      return new Gain(percent, days.length, null, null);
    }
    double[] samples = samples(days, seed);
    return new Gain(
        percent,
        days.length,
        samples[(int) (SAMPLES * OUTSIDE)],
        samples[SAMPLES - 1 - (int) (SAMPLES * OUTSIDE)]);
  }

  private static double[] samples(double[][] days, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] samples = new double[SAMPLES];
    int[] drawn = new int[days.length];
    for (int sample = 0; sample < SAMPLES; sample++) {
      for (int day = 0; day < days.length; day++) {
        drawn[day] = random.nextInt(days.length);
      }
      samples[sample] = percent(days, drawn);
    }
    Arrays.sort(samples);
    return samples;
  }

  private static double percent(double[][] days, int[] drawn) {
    double exclusive = 0;
    double here = 0;
    for (int day : drawn) {
      exclusive += days[day][0];
      here += days[day][1];
    }
    return exclusive == 0 ? 0 : 100 * (exclusive - here) / exclusive;
  }
}
