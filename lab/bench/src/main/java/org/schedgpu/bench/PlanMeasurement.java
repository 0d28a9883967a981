package org.schedgpu.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.schedgpu.gres.command.GresCommand;
import picocli.CommandLine;

/**
 * The time of {@code schedgpu gres plan --json} for 10,000 nodes of 16 devices x 8, from reading
 * the facts to the plan on the disk, and how it grows from a quarter of the nodes and a half. The
 * limit only reads and writes the same bytes.
 */
final class PlanMeasurement {
  private static final int NODES = 10_000;
  private static final int QUICK_NODES = 20;
  private static final int RUNS = 3;
  private static final double LEAST = 0.01;
  private static final double NS_PER_MS = 1e6;

  private final Settings settings;

  PlanMeasurement(Settings settings) {
    this.settings = settings;
  }

  /**
   * Adds the time.
   *
   * @throws BenchException if the plan fails
   */
  void run(Findings findings) {
    try {
      Path folder = Files.createTempDirectory("schedgpu-bench-plan");
      try {
        int nodes = settings.quick() ? QUICK_NODES : NODES;
        Map<Integer, Double> plans = new TreeMap<>();
        Map<Integer, Double> limits = new TreeMap<>();
        for (int n : List.of(nodes / 4, nodes / 2, nodes)) {
          LargeCluster cluster = LargeCluster.make(folder.resolve(String.valueOf(n)), n);
          Measurement plan = measured(cluster);
          plans.put(n, plan.p50());
          limits.put(n, plan.limit());
          if (n == nodes) {
            findings.add(plan);
          }
        }
        findings.add(growth(Growth.exponent(plans), Growth.exponent(limits)));
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new BenchException("bench: the large cluster's files: " + e, e);
    }
  }

  private Measurement measured(LargeCluster cluster) throws IOException {
    List<Double> plans = new ArrayList<>();
    List<Double> limits = new ArrayList<>();
    for (int i = 0; i < (settings.quick() ? 1 : RUNS); i++) {
      plans.add(milliseconds(() -> plan(cluster)));
      limits.add(milliseconds(() -> copy(cluster)));
    }
    plans.sort(Comparator.naturalOrder());
    limits.sort(Comparator.naturalOrder());
    return new Measurement(
        "plan-10000-nodes",
        "ms",
        plans.get(plans.size() / 2),
        plans.get(plans.size() - 1),
        limits.get(limits.size() / 2),
        "reading and writing the same bytes");
  }

  /** Exponents, as of costs that are never nothing. */
  private static Measurement growth(double plan, double limit) {
    return new Measurement(
        "plan-growth",
        "exp",
        Math.max(plan, LEAST),
        Math.max(plan, LEAST),
        Math.max(limit, LEAST),
        "the exponent of reading and writing the same bytes");
  }

  private interface Work {
    void run() throws IOException;
  }

  private static double milliseconds(Work work) throws IOException {
    long startNs = System.nanoTime();
    work.run();
    return (System.nanoTime() - startNs) / NS_PER_MS;
  }

  private static void plan(LargeCluster cluster) throws IOException {
    try (PrintWriter out = new PrintWriter(cluster.plan().toFile(), StandardCharsets.UTF_8)) {
      int exitCode =
          new CommandLine(new GresCommand())
              .setOut(out)
              .execute(
                  "plan",
                  "--facts",
                  cluster.facts().toString(),
                  "--per-gpu",
                  "8",
                  "--slurm-conf",
                  cluster.slurmConf().toString(),
                  "--slurm-version",
                  "22.05",
                  "--json");
      if (exitCode != 0) {
        throw new BenchException("bench: schedgpu gres plan ended with " + exitCode);
      }
    }
  }

  private static void copy(LargeCluster cluster) throws IOException {
    long bytes = 0;
    for (Path file : files(cluster.facts())) {
      bytes += Files.readAllBytes(file).length;
    }
    Path copy = cluster.plan().resolveSibling("plan.copy");
    Files.write(copy, Files.readAllBytes(cluster.plan()));
    if (bytes == 0) {
      throw new BenchException("bench: the large cluster has no facts");
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(folder)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
