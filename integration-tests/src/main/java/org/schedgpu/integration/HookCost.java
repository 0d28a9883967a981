package org.schedgpu.integration;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.schedgpu.minicluster.SlurmCommands;

/**
 * Measures what schedGPU costs a job that does nothing, compared with the cheapest possible hooks.
 * It reports and does not judge, because times depend on the host.
 */
public final class HookCost {
  private static final int WARM_UP = 3;
  private static final double NS_PER_MS = 1e6;

  private final int rounds;
  private final Map<String, List<Double>> times = new LinkedHashMap<>();

  private HookCost(int rounds) {
    this.rounds = rounds;
  }

  /** {@code HookCost [ROUNDS]}, 25 if not said. */
  public static void main(String[] arguments) {
    report(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 25, System.out);
  }

  static void report(int rounds, PrintStream out) {
    HookCost cost = new HookCost(rounds);
    cost.measureJobs("no hooks", () -> ClusterSetup.oneDevice().withoutSchedGpu());
    cost.measureJobs(
        "/bin/true as hooks",
        () ->
            ClusterSetup.oneDevice()
                .withoutSchedGpu()
                .slurmConf("Prolog=/bin/true", "Epilog=/bin/true"));
    cost.measureJobs("prolog, epilog", () -> ClusterSetup.oneDevice().withoutPlugin());
    cost.measureJobs("prolog, epilog, plugin", ClusterSetup::oneDevice);
    cost.measureProgramsAlone();
    out.printf("medians of %d, in ms%n", rounds);
    cost.times.forEach((what, all) -> out.printf("%-52s %6.1f%n", what, median(all)));
  }

  private void measureJobs(String what, Supplier<ClusterSetup> setup) {
    try (SchedGpuCluster cluster = SchedGpuCluster.start(setup.get())) {
      for (int i = 0; i < WARM_UP + rounds; i++) {
        long startNs = System.nanoTime();
        cluster.slurm().srun("--gres=gpu:1", "/bin/true").orThrow();
        double endedMs = sinceMs(startNs);
        awaitIdle(cluster);
        double idleMs = sinceMs(startNs);
        if (i >= WARM_UP) {
          note("srun, " + what, endedMs);
          note("srun until the node is idle, " + what, idleMs);
        }
      }
    }
  }

  private static void awaitIdle(SchedGpuCluster cluster) {
    while (!cluster.slurm().nodeState(cluster.node()).equals("idle")) {
      Thread.onSpinWait();
    }
  }

  /** As slurmd starts them, for jobs that are really registered and ended. */
  private void measureProgramsAlone() {
    try (SchedGpuCluster cluster = SchedGpuCluster.start(ClusterSetup.oneDevice())) {
      for (int i = 0; i < WARM_UP + rounds; i++) {
        Map<String, String> environment = hookEnvironment(cluster, 1000 + i);
        double nothing = run(cluster, environment, "/bin/true");
        double prolog = run(cluster, environment, cluster.installation().prolog().toString());
        double epilog = run(cluster, environment, cluster.installation().epilog().toString());
        if (i >= WARM_UP) {
          note("the program /bin/true", nothing);
          note("the program schedgpu-prolog", prolog);
          note("the program schedgpu-epilog", epilog);
        }
      }
    }
  }

  private static Map<String, String> hookEnvironment(SchedGpuCluster cluster, int job) {
    return Map.of(
        "SLURM_JOB_ID", Integer.toString(job),
        "SLURM_JOB_UID", "0",
        "SLURM_JOB_GPUS", "0",
        "SPANK_SCHEDGPU_MEM", "300M",
        "SLURMD_NODENAME", cluster.node());
  }

  private static double run(
      SchedGpuCluster cluster, Map<String, String> environment, String program) {
    SlurmCommands commands = cluster.slurm().commands().with(environment);
    ProcessBuilder builder = commands.prepare(List.of(program));
    long startNs = System.nanoTime();
    try {
      builder.inheritIO().start().waitFor();
    } catch (IOException e) {
      throw new AssertionError("cannot run " + program, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
    return sinceMs(startNs);
  }

  private void note(String what, double ms) {
    times.computeIfAbsent(what, key -> new ArrayList<>()).add(ms);
  }

  private static double sinceMs(long startNs) {
    return (System.nanoTime() - startNs) / NS_PER_MS;
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().collect(Collectors.toList());
    return sorted.get(sorted.size() / 2);
  }
}
