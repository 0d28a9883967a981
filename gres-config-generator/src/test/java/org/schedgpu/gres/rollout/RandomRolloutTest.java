package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Somebody resumes and drains nodes, starts and ends jobs, nodes go down and come back, slurmds
 * come back with the old count, and the run is killed again and again. jqwik prints the seed.
 */
class RandomRolloutTest {
  private static final String[] NAMES = {"gpu1", "gpu2", "gpu3", "gpu4"};
  private static final int RUNS = 12;

  private Random random;
  private Bench bench;

  @Property(tries = 1000)
  void noGpuJobIsEverKilledAndTheRolloutComesToItsEnd(@ForAll long seed) {
    random = new Random(seed);
    int before = 2 + 5 * random.nextInt(3);
    bench = new Bench(before, 7, NAMES);
    bench.cluster.restoresCounts = random.nextBoolean();
    bench.cluster.beforeLook = this::something;
    bench.whileWaiting = this::something;
    bench.commands = new Commands("ctld", "slurmd %n", "copy %n", 30L, 20, 20, null);
    for (int run = 0; run < RUNS && bench.record().phase().isOpen(); run++) {
      try {
        bench.run(1 + random.nextInt(60));
      } catch (Bench.Killed e) {
        something();
      }
      bench.assertNoJobWasKilled();
    }
    finish();
  }

  private FakeCluster.Node anyNode() {
    return bench.cluster.node(NAMES[random.nextInt(NAMES.length)]);
  }

  private void something() {
    if (random.nextInt(4) > 0) {
      return;
    }
    FakeCluster.Node node = anyNode();
    switch (random.nextInt(9)) {
      case 0 -> resumeAndUse(node);
      case 1 -> bench.cluster.hold(node.name, "fan broken");
      case 2 -> bench.cluster.start(node.name, random.nextBoolean() ? "gres:gpu:1" : "");
      case 3 -> bench.cluster.start(node.name, "cpu");
      case 4 -> goDown(node);
      case 5 -> node.down = false;
      case 6 -> node.stubborn = !node.stubborn;
      default ->
          bench.cluster.jobs.stream()
              .filter(FakeCluster.Job::isThere)
              .findAny()
              .ifPresent(job -> job.state = "ENDED");
    }
  }

  /** What a rollout has to fear most. */
  private void resumeAndUse(FakeCluster.Node node) {
    bench.cluster.release(node.name);
    if (random.nextBoolean()) {
      bench.cluster.start(node.name, random.nextBoolean() ? "gres:gpu:1" : "");
    }
  }

  /** Slurm requeues the jobs of a node that goes down; that is not our doing. */
  private void goDown(FakeCluster.Node node) {
    node.down = true;
    bench.cluster.jobs.stream()
        .filter(job -> job.isThere() && job.node.equals(node.name))
        .forEach(job -> job.state = "ENDED");
  }

  private void finish() {
    bench.cluster.beforeLook = () -> {};
    bench.whileWaiting = bench::endJobs;
    bench.cluster.nodes.values().forEach(node -> node.stubborn = false);
    bench.cluster.nodes.values().forEach(node -> node.down = false);
    Set<String> theirs = new TreeSet<>();
    bench.cluster.nodes.values().stream()
        .filter(node -> node.drained && node.reason.equals("fan broken"))
        .forEach(node -> theirs.add(node.name));
    boolean wasOpen = bench.record().phase().isOpen();
    Ending ending = bench.run();
    // A slurmd that a run before told to restart may still come back with the old count.
    for (int again = 0; again < 3 && ending.kind() != Ending.Kind.DONE; again++) {
      ending = bench.run();
    }
    bench.assertDone(ending);
    for (String name : List.of(NAMES)) {
      FakeCluster.Node node = bench.cluster.node(name);
      if (theirs.contains(name)) {
        assertTrue(node.drained, name);
        assertEquals("fan broken", node.reason);
      } else if (wasOpen && !bench.record(name).done()) {
        bench.assertInService(name);
      }
    }
  }
}
