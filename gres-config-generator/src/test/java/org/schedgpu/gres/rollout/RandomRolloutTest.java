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
 * At random, somebody resumes and drains nodes, starts and ends jobs, nodes go down and return,
 * slurmds return with the old count, and the run is killed repeatedly. jqwik prints the seed.
 */
class RandomRolloutTest {
  private static final String[] NAMES = {"gpu1", "gpu2", "gpu3", "gpu4"};
  private static final int RUNS = 12;

  private Random random;
  private RolloutFixture fixture;

  @Property(tries = 1000)
  void noGpuJobIsEverKilledAndTheRolloutComesToItsEnd(@ForAll long seed) {
    random = new Random(seed);
    int before = 2 + 5 * random.nextInt(3);
    fixture = new RolloutFixture(before, 7, NAMES);
    fixture.cluster.restoresCounts = random.nextBoolean();
    fixture.cluster.beforeLastCheck = this::something;
    fixture.whileWaiting = this::something;
    fixture.commands = new Commands("ctld", "slurmd %n", "copy %n", 30L, 20, 20, null);
    for (int run = 0; run < RUNS && fixture.record().phase().isOpen(); run++) {
      try {
        fixture.run(1 + random.nextInt(60));
      } catch (RolloutFixture.Killed e) {
        something();
      }
      fixture.assertNoJobWasKilled();
    }
    finish();
  }

  private FakeCluster.Node anyNode() {
    return fixture.cluster.node(NAMES[random.nextInt(NAMES.length)]);
  }

  private void something() {
    if (random.nextInt(4) > 0) {
      return;
    }
    FakeCluster.Node node = anyNode();
    switch (random.nextInt(9)) {
      case 0 -> resumeAndUse(node);
      case 1 -> fixture.cluster.hold(node.name, "fan broken");
      case 2 -> fixture.cluster.start(node.name, random.nextBoolean() ? "gres:gpu:1" : "");
      case 3 -> fixture.cluster.start(node.name, "cpu");
      case 4 -> goDown(node);
      case 5 -> node.down = false;
      case 6 -> node.stubborn = !node.stubborn;
      default ->
          fixture.cluster.jobs.stream()
              .filter(FakeCluster.Job::isThere)
              .findAny()
              .ifPresent(job -> job.state = "ENDED");
    }
  }

  /** The most dangerous event for a rollout. */
  private void resumeAndUse(FakeCluster.Node node) {
    fixture.cluster.release(node.name);
    if (random.nextBoolean()) {
      fixture.cluster.start(node.name, random.nextBoolean() ? "gres:gpu:1" : "");
    }
  }

  /** Slurm requeues the jobs of a node that goes down; the rollout is not the cause. */
  private void goDown(FakeCluster.Node node) {
    node.down = true;
    fixture.cluster.jobs.stream()
        .filter(job -> job.isThere() && job.node.equals(node.name))
        .forEach(job -> job.state = "ENDED");
  }

  private boolean hasNodeOfOthers() {
    return fixture.record().nodes().stream().anyMatch(node -> node.note() != null);
  }

  private void finish() {
    fixture.cluster.beforeLastCheck = () -> {};
    fixture.whileWaiting = fixture::endJobs;
    fixture.cluster.nodes.values().forEach(node -> node.stubborn = false);
    fixture.cluster.nodes.values().forEach(node -> node.down = false);
    Set<String> theirs = new TreeSet<>();
    fixture.cluster.nodes.values().stream()
        .filter(node -> node.drained && node.reason.equals("fan broken"))
        .forEach(node -> theirs.add(node.name));
    boolean wasOpen = fixture.record().phase().isOpen();
    RolloutResult ending = fixture.run();
    // A slurmd that an earlier run restarted may still return with the old count.
    for (int again = 0; again < 3 && fixture.record().phase().isOpen(); again++) {
      ending = fixture.run();
    }
    if (ending.kind() == RolloutResult.Kind.LEFT) { // only where somebody took a node over
      assertEquals(Phase.DONE, fixture.record().phase());
      assertTrue(hasNodeOfOthers(), ending::message);
      fixture.assertNoJobWasKilled();
    } else {
      fixture.assertDone(ending);
    }
    for (String name : List.of(NAMES)) {
      FakeCluster.Node node = fixture.cluster.node(name);
      if (theirs.contains(name)) {
        assertTrue(node.drained, name);
        assertEquals("fan broken", node.reason);
      } else if (wasOpen && !fixture.record(name).done()) {
        fixture.assertInService(name);
      }
    }
  }
}
