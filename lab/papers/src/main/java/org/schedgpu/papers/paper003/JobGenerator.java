package org.schedgpu.papers.paper003;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.schedgpu.papers.remote.QueueJob;

/**
 * Jobs in the shape of TSUBAME's log, which is not public. They come in bursts: a user submits
 * several jobs of one kind, more by day than at night and on working days. Widths, GPUs, CPUs and
 * memory are invented; the mean length of a job is the paper's.
 *
 * @param days of submissions
 * @param jobsPerDay on average
 * @param allGpusPercent jobs that ask for all three GPUs of their nodes
 */
record JobGenerator(int days, double jobsPerDay, int allGpusPercent) {
  /** 963.60 s / 25.24 % of waiting, and 959.65 s / 5.06 % of life, give the paper's mean run. */
  static final double MEAN_RUN_S = 959.65 / 0.0506 - 963.60 / 0.2524;

  private static final double NS = 1e9;
  private static final double DAY_S = 86_400;
  private static final double MEAN_BURST = 25;
  private static final double BURST_GAP_S = 10;
  private static final double SHORTEST_S = 60;
  private static final double LONGEST_S = 4 * DAY_S;

  /** Spread of the logarithm of run times: among bursts, and inside one. */
  private static final double SIGMA_BURSTS = 1.1;

  private static final double SIGMA_INSIDE = 0.3;

  private static final int[] NODES = {1, 2, 4, 8, 16, 32};
  private static final int[] NODES_PERCENT = {62, 12, 10, 8, 5, 3};
  private static final int[] MEMORY_GB = {2, 4, 6, 8, 12, 16};
  private static final double GB = 1e9;
  private static final int FEWEST_TRANSFERS = 100;
  private static final int MAX_TRANSFERS = 100_000;

  /** The jobs of a seed, in the order of arrival. */
  List<QueueJob> jobs(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<QueueJob> jobs = new ArrayList<>();
    double burstsPerS = jobsPerDay / MEAN_BURST / DAY_S;
    double busiest = 2;
    double atS = 0;
    while (true) {
      atS += exponential(random) / (burstsPerS * busiest);
      if (atS >= days * DAY_S) {
        break;
      }
      if (random.nextDouble() * busiest < activity(atS)) {
        addBurst(random, atS, jobs);
      }
    }
    jobs.sort(Comparator.comparingLong(QueueJob::arriveNs).thenComparingLong(QueueJob::id));
    return jobs;
  }

  /** How many bursts begin, of the average: by hour of the day and day of the week. */
  private static double activity(double atS) {
    int hour = (int) (atS % DAY_S / 3600);
    int day = (int) (atS / DAY_S) % 7;
    double byHour = hour >= 9 && hour < 21 ? 1.5 : 0.5;
    return byHour * (day < 5 ? 1.16 : 0.6);
  }

  private void addBurst(SplittableRandom random, double atS, List<QueueJob> jobs) {
    int nodes = NODES[drawn(random, NODES_PERCENT)];
    int gpus = random.nextInt(100) < allGpusPercent ? 3 : 1 + random.nextInt(2);
    int cpus = gpus * (1 + random.nextInt(2));
    double memoryBytes = MEMORY_GB[random.nextInt(MEMORY_GB.length)] * GB;
    double sigma = SIGMA_BURSTS * SIGMA_BURSTS + SIGMA_INSIDE * SIGMA_INSIDE;
    double medianS =
        MEAN_RUN_S * StrictMath.exp(-sigma / 2) * StrictMath.exp(SIGMA_BURSTS * gaussian(random));
    double arriveS = atS;
    do {
      double runS = medianS * StrictMath.exp(SIGMA_INSIDE * gaussian(random));
      jobs.add(
          new QueueJob(
              jobs.size(),
              (long) (arriveS * NS),
              (long) (Math.min(LONGEST_S, Math.max(SHORTEST_S, runS)) * NS),
              nodes,
              cpus,
              gpus,
              (long) memoryBytes,
              memoryBytes,
              memoryBytes,
              FEWEST_TRANSFERS + random.nextInt(MAX_TRANSFERS - FEWEST_TRANSFERS + 1)));
      arriveS += BURST_GAP_S * exponential(random);
    } while (random.nextDouble() > 1 / MEAN_BURST);
  }

  private static int drawn(SplittableRandom random, int[] percents) {
    int left = random.nextInt(100);
    int place = 0;
    while (left >= percents[place]) {
      left -= percents[place++];
    }
    return place;
  }

  private static double exponential(SplittableRandom random) {
    return -StrictMath.log(1 - random.nextDouble());
  }

  /** Box and Muller. */
  private static double gaussian(SplittableRandom random) {
    return StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()))
        * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
  }
}
