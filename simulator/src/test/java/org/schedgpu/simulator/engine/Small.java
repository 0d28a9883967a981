package org.schedgpu.simulator.engine;

import java.util.Arrays;
import java.util.List;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.job.Job;

/** Small clusters and jobs: seconds and GiB. */
final class Small {
  static final long S = 1_000_000_000L;
  static final long GIB = 1L << 30;

  private Small() {}

  /** A job on one GPU, one node, whose limit is its length. */
  static Job job(int id, long submitS, long runS, long gib, int busyPermille) {
    return job(id, submitS, runS, runS, 1, 1, gib, busyPermille, 0);
  }

  static Job job(
      int id,
      long submitS,
      long runS,
      long limitS,
      int nodes,
      int gpus,
      long gib,
      int busyPermille,
      long priority) {
    return new Job(
        id,
        submitS * S,
        0,
        runS * S,
        limitS * S,
        nodes,
        gpus,
        1,
        GIB,
        List.of(),
        gib * GIB,
        busyPermille,
        priority);
  }

  /** Nodes of so many GPUs of 10 GiB, without contexts. */
  static Settings nodes(int... gpus) {
    List<NodeSpec> nodes =
        Arrays.stream(gpus)
            .mapToObj(count -> new NodeSpec("n", 64, 64 * GIB, "a", count, 10 * GIB))
            .toList();
    return new Settings(nodes, 0, 64, NodeChoice.TIGHTEST, false);
  }

  static List<Long> seconds(long... timesNs) {
    return Arrays.stream(timesNs).mapToObj(ns -> ns / S).toList();
  }

  static Outcome play(Settings settings, Scenario scenario, Job... jobs) {
    return Simulation.play(List.of(jobs), settings, scenario, ended -> {});
  }
}
