package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.Policy;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.NodeSpec;
import org.schedgpu.minicluster.Requirements;
import org.schedgpu.simulator.engine.Outcome;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.engine.Simulation;
import org.schedgpu.simulator.job.Job;

/**
 * Random jobs with shards, over one to three nodes, in the simulator and in a real Slurm of eight
 * nodes. Each random job starts when it is submitted: only the places are compared. {@code
 * -Dschedgpu.placed.jobs=500} plays more of them, {@code -Dschedgpu.placed.seed=N} the same again.
 */
final class RandomPlacementTest {
  private static final int NODES = 8;
  private static final int CPUS = 12;
  private static final int SHARDS_OF_DEVICE = 8;
  private static final int DRAWS = 100;
  private static final long GIB = 1L << 30;
  private static final Scenario SCENARIO = Scenario.memory(100, GIB, Policy.FIFO);

  /**
   * Nodes 0 and 1 keep two CPUs each, node 3 nine, the others none. The last job would have room on
   * nodes 0 and 1, and goes to 0 and 3.
   */
  private static final List<Job> TWO_RUNS =
      List.of(
          PlacedJobs.job(0, 1, 8, 10, 60, 100),
          PlacedJobs.job(1, 1, 8, 10, 60, 100),
          PlacedJobs.job(2, 1, 8, 12, 60, 100),
          PlacedJobs.job(3, 1, 8, 3, 60, 100),
          PlacedJobs.job(4, 4, 8, 12, 60, 100),
          PlacedJobs.job(5, 2, 8, 1, 60, 100));

  /**
   * Job 4 waits for one of the last two nodes. On one of them jobs end in 10 and 60 minutes, on the
   * other in 65, which Slurm takes for the same time: it keeps the first one. The last job goes to
   * the other.
   */
  private static final List<Job> A_NODE_IS_KEPT =
      List.of(
          PlacedJobs.job(0, 6, 8, 12, 600, 100),
          PlacedJobs.job(1, 1, 1, 11, 65, 100),
          PlacedJobs.job(2, 1, 1, 5, 10, 30),
          PlacedJobs.job(3, 1, 1, 5, 60, 40),
          PlacedJobs.job(4, 1, 1, 10, 60, 20),
          PlacedJobs.job(5, 1, 1, 1, 600, 30));

  /**
   * Here jobs end in 10 and 60 minutes on the node that is kept. The last job would be on it for
   * 62. Up to Slurm 24.11 the node is kept from the end in 65 minutes on, and that job starts; from
   * 25.05 on it does not.
   */
  private static final List<Job> KEPT_FROM_A_TIME_ON =
      List.of(
          PlacedJobs.job(0, 6, 8, 12, 600, 100),
          PlacedJobs.job(1, 1, 1, 5, 10, 30),
          PlacedJobs.job(2, 1, 1, 5, 60, 40),
          PlacedJobs.job(3, 1, 1, 11, 65, 100),
          PlacedJobs.job(4, 1, 1, 10, 60, 20),
          PlacedJobs.job(5, 1, 1, 2, 62, 20));

  private final List<NodeSpec> specs =
      NodeSpec.numbered(
          MiniCluster.freshNodePrefix(), NODES, CPUS, 4000, "gpu:2,shard:" + 2 * SHARDS_OF_DEVICE);

  private MiniCluster start() {
    List<String> missing = new ArrayList<>(Requirements.missing());
    missing.addAll(Requirements.missingForFakeDevices());
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    MiniClusterBuilder builder = MiniCluster.builder();
    return builder
        .nodes(specs)
        .fakeDevices(2)
        .constrainDevices(false)
        .gresConf(
            "Name=gpu File=%s/nvidia[0-1]\nName=shard Count=%d\n"
                .formatted(builder.paths().devices(), 2 * SHARDS_OF_DEVICE))
        .slurmConf("GresTypes=gpu,shard")
        .start();
  }

  private static Settings settings() {
    org.schedgpu.simulator.cluster.NodeSpec node =
        new org.schedgpu.simulator.cluster.NodeSpec("", CPUS, GIB, "", 2, SHARDS_OF_DEVICE * GIB);
    return new Settings(
        Collections.nCopies(NODES, node),
        0,
        64,
        PlacedJobs.nodeChoice(),
        false,
        PlacedJobs.keepsOwnNodes());
  }

  /**
   * Each job is drawn again while it would wait; if the nodes are full, it comes a second later.
   */
  private static List<Job> randomJobs(SplittableRandom random, int count) {
    List<Job> jobs = new ArrayList<>();
    int second = 0;
    while (jobs.size() < count) {
      second++;
      for (int drawn = 0; drawn < DRAWS; drawn++) {
        jobs.add(randomJob(random, jobs.size(), second));
        Outcome outcome = Simulation.play(jobs, settings(), SCENARIO, ended -> {});
        Job job = jobs.get(jobs.size() - 1);
        if (outcome.startNs()[jobs.size() - 1] == job.submitNs()) {
          break;
        }
        jobs.remove(job);
      }
    }
    return jobs;
  }

  private static Job randomJob(SplittableRandom random, int id, int submitSecond) {
    int cpus = 1 + random.nextInt(random.nextBoolean() ? 3 : CPUS);
    int nodes = 1 + random.nextInt(3);
    int shards = 1 + random.nextInt(SHARDS_OF_DEVICE);
    return PlacedJobs.job(id, submitSecond, nodes, shards, cpus, 60, 1 + random.nextInt(20));
  }

  @Test
  void jobsStartOnTheNodesAndDevicesOfARealSlurm() throws IOException {
    long seed = Long.getLong("schedgpu.placed.seed", System.nanoTime());
    System.out.println("schedgpu.placed.seed=" + seed);
    List<Job> jobs =
        randomJobs(new SplittableRandom(seed), Integer.getInteger("schedgpu.placed.jobs", 40));
    List<String> names = specs.stream().map(NodeSpec::name).toList();
    try (MiniCluster cluster = start()) {
      for (List<Job> trace : List.of(TWO_RUNS, A_NODE_IS_KEPT, KEPT_FROM_A_TIME_ON, jobs)) {
        PlacedJobs.requireTheSame(cluster, names, trace, settings(), SCENARIO);
      }
    }
  }

  /** With this seed the nodes are full after twenty jobs, and no job has room for a second. */
  @Test
  void jobsAreDrawnAlthoughTheNodesAreFull() {
    int count = 40;
    assertEquals(count, randomJobs(new SplittableRandom(6260705749512347485L), count).size());
  }
}
