package org.schedgpu.papers.paper004;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * 100 jobs as those of Table 2, whose trace is not public. Workloads are drawn from Table 3.
 *
 * @param sigma of the logarithm of the lengths
 * @param arriveMinutes within which all jobs arrive, at random
 * @param longFirst how much the longer jobs tend to arrive earlier: 0 not at all, 1 in order
 */
record Trace(double sigma, double arriveMinutes, double longFirst) {
  static final int JOBS = 100;

  /** The paper's FIFO: 170.6 min from arrival to end, less 167.6 min in the queue. */
  static final double MEAN_MINUTES = 3.0;

  private static final double MINUTE_NS = 60e9;

  private record Drawn(double length, double order, double arrive, Workload workload) {}

  /** The jobs of a seed, in the order of arrival; their lengths have the paper's mean. */
  List<LaneJob> jobs(long seed) {
    List<Drawn> drawn = drawn(new SplittableRandom(seed));
    double sum = drawn.stream().mapToDouble(Drawn::length).sum();
    double[] arrivals = drawn.stream().mapToDouble(Drawn::arrive).sorted().toArray();
    List<Drawn> inOrder =
        drawn.stream().sorted(Comparator.comparingDouble(Drawn::order).reversed()).toList();
    List<LaneJob> jobs = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      Workload workload = inOrder.get(i).workload();
      double lengthNs = inOrder.get(i).length() / sum * JOBS * MEAN_MINUTES * MINUTE_NS;
      int iterations =
          (int) Math.max(1, Math.round(lengthNs / (workload.cpuNs() + workload.gpuNs())));
      jobs.add(workload.job((long) (arrivals[i] * MINUTE_NS), iterations));
    }
    return jobs;
  }

  private List<Drawn> drawn(SplittableRandom random) {
    List<Workload> workloads = Workload.ofTableThree();
    List<Drawn> drawn = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      double size = gaussian(random);
      double noise = StrictMath.sqrt(1 - longFirst * longFirst) * gaussian(random);
      drawn.add(
          new Drawn(
              StrictMath.exp(sigma * size),
              longFirst * size + noise,
              random.nextDouble() * arriveMinutes,
              workloads.get(random.nextInt(workloads.size()))));
    }
    return drawn;
  }

  /** Box and Muller. */
  private static double gaussian(SplittableRandom random) {
    return StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
        * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
  }
}
