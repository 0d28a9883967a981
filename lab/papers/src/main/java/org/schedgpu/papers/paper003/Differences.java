package org.schedgpu.papers.paper003;

import java.util.Arrays;
import java.util.List;
import org.schedgpu.papers.remote.QueueJob;
import org.schedgpu.papers.remote.QueueOutcome;

/**
 * The same jobs in two ways, job by job; seconds. Positive: the second way is better.
 *
 * @param waitS by how much each waits for less time
 * @param runS by how much each runs for less time
 * @param lifeS by how much each ends earlier
 * @param firstWaitS mean wait in the first way
 * @param firstRunS mean run in the first way
 */
@SuppressWarnings("ArrayRecordComponent") // many jobs
record Differences(
    double[] waitS, double[] runS, double[] lifeS, double firstWaitS, double firstRunS) {
  private static final double NS = 1e9;

  static Differences of(List<QueueJob> jobs, QueueOutcome first, QueueOutcome second) {
    int count = jobs.size();
    double[] waitS = new double[count];
    double[] runS = new double[count];
    double[] lifeS = new double[count];
    double waits = 0;
    double runs = 0;
    for (int i = 0; i < count; i++) {
      waitS[i] = (first.startNs()[i] - second.startNs()[i]) / NS;
      lifeS[i] = (first.endNs()[i] - second.endNs()[i]) / NS;
      runS[i] = lifeS[i] - waitS[i];
      waits += (first.startNs()[i] - jobs.get(i).arriveNs()) / NS;
      runs += (first.endNs()[i] - first.startNs()[i]) / NS;
    }
    return new Differences(waitS, runS, lifeS, waits / count, runs / count);
  }

  static double mean(double... values) {
    return Arrays.stream(values).average().orElse(0);
  }

  static double deviation(double... values) {
    double mean = mean(values);
    return StrictMath.sqrt(
        Arrays.stream(values).map(value -> (value - mean) * (value - mean)).average().orElse(0));
  }

  double waitPercent() {
    return 100 * mean(waitS) / firstWaitS;
  }

  double runPercent() {
    return 100 * mean(runS) / firstRunS;
  }

  double lifePercent() {
    return 100 * mean(lifeS) / (firstWaitS + firstRunS);
  }

  /** Jobs for which the second way is worse, by more than a second. */
  static double worsePercent(double... values) {
    return 100.0 * Arrays.stream(values).filter(value -> value < -1).count() / values.length;
  }

  /** By how many seconds those are worse, on average. */
  static double worseS(double... values) {
    return -Arrays.stream(values).filter(value -> value < -1).average().orElse(0);
  }

  static double leastOf(double... values) {
    return Arrays.stream(values).min().orElse(0);
  }
}
