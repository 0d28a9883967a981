package org.schedgpu.simulator.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.simulator.engine.Small.job;
import static org.schedgpu.simulator.engine.Small.nodes;
import static org.schedgpu.simulator.engine.Small.play;
import static org.schedgpu.simulator.engine.Small.seconds;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.job.Job;

/** The engine, with examples computed by hand. */
class SimulationTest {
  private static final Scenario EXCLUSIVE = Scenario.exclusive();
  private static final Scenario MEMORY = Scenario.memory(100, Small.GIB, Policy.FIFO);
  private static final List<Scenario> BOTH = List.of(EXCLUSIVE, MEMORY);
  private static final Scenario TWO = Scenario.shares(2, Policy.FIFO);

  @Test
  void oneJobPerGpuIsInTheOrderOfSubmission() {
    Outcome outcome =
        play(nodes(1), EXCLUSIVE, job(0, 1, 100, 1, 1), job(1, 2, 10, 1, 1), job(2, 3, 10, 1, 1));
    assertEquals(List.of(1L, 101L, 111L), seconds(outcome.startNs()));
    assertEquals(List.of(101L, 111L, 121L), seconds(outcome.endNs()));
    assertEquals(120e9, outcome.occupiedNs());
  }

  @Test
  void jobsThatKeepTheGpuBusyForHalfOfTheirTimeDoNotSlowDown() {
    Outcome outcome = play(nodes(1), TWO, job(0, 1, 100, 1, 500), job(1, 1, 100, 1, 500));
    assertEquals(List.of(101L, 101L), seconds(outcome.endNs()));
  }

  /** Both at half speed: 100 s until the second has done its 50, then 50 s alone. */
  @Test
  void busyJobsShareTheDeviceEvenly() {
    Outcome outcome = play(nodes(1), TWO, job(0, 1, 100, 1, 1000), job(1, 1, 50, 1, 1000));
    assertEquals(List.of(151L, 101L), seconds(outcome.endNs()));
  }

  /** At 1 / 1.5 of its speed while the other is there. */
  @Test
  void theSumOfWhatJobsNeedSetsTheSpeed() {
    Outcome outcome = play(nodes(1), TWO, job(0, 1, 100, 1, 1000), job(1, 1, 200, 1, 500));
    assertEquals(List.of(151L, 251L), seconds(outcome.endNs()));
  }

  /** On a device with a neighbour and on one without: as fast as on the first. */
  @Test
  void aJobOnTwoDevicesIsAsFastAsOnTheBusierOne() {
    Outcome outcome =
        play(nodes(2), TWO, job(0, 1, 1000, 1, 1000), job(1, 1, 100, 100, 1, 2, 1, 1000, 0));
    assertEquals(201L, outcome.endNs()[1] / Small.S);
  }

  @Test
  void memoryThatIsNotFreeIsWaitedForOnTheNode() {
    Outcome outcome = play(nodes(1), TWO, job(0, 1, 100, 6, 1), job(1, 2, 10, 6, 1));
    assertEquals(List.of(1L, 2L), seconds(outcome.startNs()));
    assertEquals(List.of(1L, 101L), seconds(outcome.computeNs()));
    assertEquals(List.of(101L, 111L), seconds(outcome.endNs()));
  }

  /** 6 of 10 GiB are in use: under fifo the small one waits behind the large one. */
  @Test
  void thePolicyIsThatOfTheNode() {
    Job[] jobs = {job(0, 1, 100, 6, 1), job(1, 2, 10, 8, 1), job(2, 3, 10, 2, 1)};
    Scenario fifo = Scenario.shares(3, Policy.FIFO);
    Scenario mmu = Scenario.shares(3, Policy.MMU);
    assertEquals(List.of(1L, 101L, 101L), seconds(play(nodes(1), fifo, jobs).computeNs()));
    assertEquals(List.of(1L, 101L, 3L), seconds(play(nodes(1), mmu, jobs).computeNs()));
  }

  @Test
  void contextsTakeMemory() {
    Settings without = nodes(1);
    Settings with = new Settings(without.nodes(), Small.GIB, 64, NodeChoice.TIGHTEST, false);
    Job[] jobs = {job(0, 1, 100, 5, 1), job(1, 1, 100, 5, 1)};
    assertEquals(List.of(1L, 1L), seconds(play(without, TWO, jobs).computeNs()));
    assertEquals(List.of(1L, 101L), seconds(play(with, TWO, jobs).computeNs()));
  }

  @Test
  void sharesByMemoryTakeNoMoreThanThereIsAndOverbookedOnesDo() {
    Job[] jobs = {job(0, 1, 100, 6, 1), job(1, 1, 100, 6, 1), job(2, 1, 100, 4, 1)};
    Outcome exact = play(nodes(1), Scenario.memory(100, Small.GIB, Policy.FIFO), jobs);
    assertEquals(List.of(1L, 101L, 1L), seconds(exact.startNs()));
    assertEquals(List.of(1L, 101L, 1L), seconds(exact.computeNs()));
    Outcome overbooked = play(nodes(1), Scenario.memory(160, Small.GIB, Policy.FIFO), jobs);
    assertEquals(List.of(1L, 1L, 1L), seconds(overbooked.startNs()));
    assertEquals(List.of(1L, 101L, 101L), seconds(overbooked.computeNs()));
  }

  /** The second needs both GPUs, at 101 s; the third ends before, the fourth would not. */
  @Test
  void aJobBehindTheFirstStartsOnlyIfItDelaysItNot() {
    Outcome outcome =
        play(
            nodes(2),
            EXCLUSIVE,
            job(0, 1, 100, 1, 1),
            job(1, 2, 100, 100, 1, 2, 1, 1, 0),
            job(2, 3, 100, 1, 1),
            job(3, 4, 50, 1, 1));
    assertEquals(List.of(1L, 101L, 201L, 4L), seconds(outcome.startNs()));
  }

  /** The first waits for node 0, so node 1 is not kept free. */
  @Test
  void aJobBehindTheFirstMayTakeNodesThatTheFirstWillNotHave() {
    Outcome outcome =
        play(
            nodes(2, 1),
            EXCLUSIVE,
            job(0, 1, 100, 1, 1),
            job(1, 2, 100, 100, 1, 2, 1, 1, 0),
            job(2, 3, 1000, 1, 1));
    assertEquals(List.of(1L, 101L, 3L), seconds(outcome.startNs()));
  }

  @Test
  void priorityComesBeforeSubmission() {
    Settings fifo = nodes(1);
    Settings byPriority = new Settings(fifo.nodes(), 0, 64, NodeChoice.TIGHTEST, true);
    Job[] jobs = {
      job(0, 1, 100, 1, 1), job(1, 2, 100, 100, 1, 1, 1, 1, 1), job(2, 3, 100, 100, 1, 1, 1, 1, 2)
    };
    assertEquals(List.of(1L, 101L, 201L), seconds(play(fifo, EXCLUSIVE, jobs).startNs()));
    assertEquals(List.of(1L, 201L, 101L), seconds(play(byPriority, EXCLUSIVE, jobs).startNs()));
  }

  @Test
  void cpusAndMemoryOfANodeAreGivenOutToo() {
    Job[] jobs = {job(0, 1, 100, 1, 1), job(1, 1, 100, 1, 1)};
    for (NodeSpec node :
        List.of(
            new NodeSpec("n", 1, 64 * Small.GIB, "a", 1, 10 * Small.GIB),
            new NodeSpec("n", 64, Small.GIB, "a", 1, 10 * Small.GIB))) {
      Settings settings = new Settings(List.of(node), 0, 64, NodeChoice.TIGHTEST, false);
      assertEquals(List.of(1L, 101L), seconds(play(settings, TWO, jobs).startNs()));
    }
  }

  @Test
  void packTakesTheFirstNodeAndSpreadTheIdlest() {
    Settings pack = nodes(1, 1);
    Settings spread = new Settings(pack.nodes(), 0, 64, NodeChoice.IDLEST, false);
    Job[] jobs = {job(0, 1, 100, 1, 1000), job(1, 1, 100, 1, 1000)};
    assertEquals(List.of(201L, 201L), seconds(play(pack, TWO, jobs).endNs()));
    assertEquals(List.of(101L, 101L), seconds(play(spread, TWO, jobs).endNs()));
  }

  @Test
  void aJobOnTwoNodesComputesWhenItHasItsMemoryOnBoth() {
    Outcome outcome =
        play(nodes(1, 1), TWO, job(0, 1, 100, 6, 1), job(1, 2, 10, 10, 2, 1, 6, 1, 0));
    assertEquals(List.of(1L, 101L), seconds(outcome.computeNs()));
  }

  @Test
  void whatNoNodeCanHaveIsNotPlayed() {
    assertTrue(Simulation.canRun(job(0, 1, 1, 10, 1), nodes(1), BOTH));
    assertFalse(Simulation.canRun(job(0, 1, 1, 11, 1), nodes(1), BOTH));
    assertFalse(Simulation.canRun(job(0, 1, 1, 1, 1, 2, 1, 1, 0), nodes(1, 1), BOTH));
    assertFalse(Simulation.canRun(job(0, 1, 1, 1, 3, 1, 1, 1, 0), nodes(1, 1), BOTH));
  }

  /**
   * In every simulation no job has more than there is, all end, and a repetition gives the same
   * result.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void randomJobsAllEndAndTheSameAgainIsTheSame(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      jobs.add(
          job(
              i,
              1 + i * 3L,
              1 + random.nextInt(100),
              1 + random.nextInt(200),
              1,
              1 + random.nextInt(2),
              1 + random.nextInt(9),
              1 + random.nextInt(1000),
              random.nextInt(3)));
    }
    Job[] all = jobs.toArray(new Job[0]);
    Settings settings = new Settings(nodes(2, 4, 2).nodes(), Small.GIB, 4, NodeChoice.IDLEST, true);
    for (Scenario scenario :
        List.of(
            EXCLUSIVE,
            Scenario.shares(4, Policy.MMU),
            Scenario.memory(250, Small.GIB, Policy.FIFO))) {
      Outcome outcome = play(settings, scenario, all);
      for (int i = 0; i < all.length; i++) {
        String which = "seed " + seed + " " + scenario.name() + " job " + i;
        assertTrue(outcome.startNs()[i] >= all[i].submitNs(), which);
        assertTrue(outcome.computeNs()[i] >= outcome.startNs()[i], which);
        assertTrue(outcome.endNs()[i] >= outcome.computeNs()[i] + all[i].runNs(), which);
      }
      assertArrayEquals(outcome.endNs(), play(settings, scenario, all).endNs());
    }
  }
}
