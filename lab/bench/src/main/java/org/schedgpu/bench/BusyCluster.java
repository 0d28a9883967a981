package org.schedgpu.bench;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Invented jobs of a cluster, as sacct and scontrol print them: nodes of 8 GPUs that would be in
 * use for 85 % of their time, more by day than by night. Jobs take 1, 2, 4 or 8 GPUs of a node, for
 * minutes to days.
 */
final class BusyCluster {
  private static final int GPUS = 8;
  private static final double LOAD = 0.85;
  private static final double DAY_AND_NIGHT = 0.5;
  private static final double DAY_S = 86_400;
  private static final double[] MEAN_RUN_S = {
    1200, 1200, 1200, 1200, 1200, 1200, 10_800, 10_800, 10_800, 43_200
  };
  private static final int[] GPUS_OF_JOB = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 4, 4, 8
  };
  private static final double GPU_S_OF_JOB = 8280 * 1.8;
  private static final long BEGIN_S = 1_700_000_000;
  private static final String HEAD =
      "JobID|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|Priority|ReqTRES|AllocTRES|State\n";

  private final Path folder;

  private BusyCluster(Path folder) {
    this.folder = folder;
  }

  /** Writes the files; the same each time. */
  static BusyCluster make(Path folder, int jobs, int nodes) throws IOException {
    BusyCluster cluster = new BusyCluster(folder);
    try (BufferedWriter lines = Files.newBufferedWriter(cluster.nodes(), StandardCharsets.UTF_8)) {
      for (int node = 1; node <= nodes; node++) {
        lines.write(
            "NodeName=n%d CPUTot=128 Gres=gpu:a100:%d RealMemory=1048576%n".formatted(node, GPUS));
      }
    }
    SplittableRandom random = new SplittableRandom(1);
    double perS = nodes * GPUS * LOAD / GPU_S_OF_JOB;
    double atS = 0;
    try (BufferedWriter lines = Files.newBufferedWriter(cluster.jobs(), StandardCharsets.UTF_8)) {
      lines.write(HEAD);
      for (int job = 1; job <= jobs; job++) {
        double now = perS * (1 + DAY_AND_NIGHT * Math.sin(2 * Math.PI * atS / DAY_S));
        atS += exponential(random) / now;
        lines.write(line(job, BEGIN_S + (long) atS, random));
      }
    }
    return cluster;
  }

  private static String line(int job, long submitS, SplittableRandom random) {
    long runS = 1 + (long) (exponential(random) * MEAN_RUN_S[random.nextInt(MEAN_RUN_S.length)]);
    long limitMinutes = (runS * (1 + random.nextInt(4)) + 59) / 60;
    int gpus = GPUS_OF_JOB[random.nextInt(GPUS_OF_JOB.length)];
    String tres =
        "cpu=%d,gres/gpu:a100=%d,gres/gpu=%d,mem=%dG".formatted(4 * gpus, gpus, gpus, 16 * gpus);
    return String.format(
        Locale.ROOT,
        "%d|%d|%d|%d|%d|%d|%d|1|%d|%s|%s|COMPLETED%n",
        job,
        submitS,
        submitS,
        submitS,
        submitS + runS,
        runS,
        limitMinutes,
        random.nextInt(1000),
        tres,
        tres);
  }

  private static double exponential(SplittableRandom random) {
    return -Math.log(1 - random.nextDouble());
  }

  Path jobs() {
    return folder.resolve("jobs.txt");
  }

  Path nodes() {
    return folder.resolve("nodes.txt");
  }
}
