package org.schedgpu.simulator.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.job.Job;

/** Where jobs start, as seen with Slurm 22.05. */
class PlacementTest {
  private static final Scenario ONCE = Scenario.memory(100, Small.GIB, Policy.FIFO);
  private static final Scenario ONE_EACH = Scenario.exclusive();

  private static Job job(int id, int nodes, int cpus, long bytes) {
    return job(id, nodes, cpus, bytes, 9);
  }

  private static Job job(int id, int nodes, int cpus, long bytes, int limitS) {
    return new Job(
        id, Small.S, 0, 9 * Small.S, limitS * Small.S, nodes, 1, cpus, 1, List.of(), bytes, 1, 0);
  }

  /** {@code job@node:devices}, in the order of the starts. */
  private static List<String> starts(Settings settings, Scenario scenario, Job... jobs) {
    List<String> starts = new ArrayList<>();
    Simulation.play(
        List.of(jobs),
        settings,
        scenario,
        ended -> {},
        (job, node, devices) -> starts.add(job.id() + "@" + node + ":" + devices));
    return starts;
  }

  @Test
  void shardsOfOneDeviceAreUsedUpBeforeThoseOfTheNext() {
    Job[] jobs = {
      job(0, 1, 1, 4 * Small.GIB), job(1, 1, 1, 7 * Small.GIB), job(2, 1, 1, 6 * Small.GIB)
    };
    assertEquals(List.of("0@0:1", "1@0:2", "2@0:1"), starts(Small.nodes(2), ONCE, jobs));
  }

  /** 1.5 GiB are two shards: five such jobs take all ten. */
  @Test
  void aShardIsNotDivided() {
    Job[] jobs = new Job[6];
    for (int i = 0; i < jobs.length; i++) {
      jobs[i] = job(i, 1, 1, 3 * Small.GIB / 2);
    }
    assertEquals(
        List.of("0@0:1", "1@0:1", "2@0:1", "3@0:1", "4@0:1", "5@0:2"),
        starts(Small.nodes(2), ONCE, jobs));
  }

  /** One context comes off the device, and no second one. */
  @Test
  void contextsOfFurtherJobsTakeNoShards() {
    Settings settings =
        new Settings(Small.nodes(2).nodes(), Small.GIB, 64, NodeChoice.TIGHTEST, false);
    Job[] jobs = {
      job(0, 1, 1, 4 * Small.GIB), job(1, 1, 1, 5 * Small.GIB), job(2, 1, 1, Small.GIB)
    };
    assertEquals(List.of("0@0:1", "1@0:1", "2@0:2"), starts(settings, ONCE, jobs));
  }

  /** 9.5 GiB are nine shards, whatever part of the tenth a job needs. */
  @Test
  void aJobThatNeedsMoreShardsThanADeviceHasIsNotPlayed() {
    Settings settings =
        new Settings(Small.nodes(1).nodes(), Small.GIB / 2, 64, NodeChoice.TIGHTEST, false);
    Job job = job(0, 1, 1, 37 * Small.GIB / 4);
    assertTrue(Simulation.canRun(job, settings, List.of(ONE_EACH)));
    assertFalse(Simulation.canRun(job, settings, List.of(ONE_EACH, ONCE)));
    Scenario twice = Scenario.memory(200, Small.GIB, Policy.FIFO);
    assertTrue(Simulation.canRun(job, settings, List.of(twice)));
    assertFalse(Simulation.canRun(job(0, 1, 1, 10 * Small.GIB), settings, List.of(twice)));
  }

  /** Nodes of one GPU: 20 and 10 CPUs are taken of the first two; the last job finds 44 and 54. */
  @Test
  void theNodeWithTheFewestCpusComesFirst() {
    Job[] jobs = {
      job(0, 1, 10, 6 * Small.GIB), job(1, 1, 20, 6 * Small.GIB), job(2, 1, 1, 2 * Small.GIB)
    };
    assertEquals(List.of("0@0:1", "1@1:1", "2@1:1"), starts(Small.nodes(1, 1, 1), ONCE, jobs));
  }

  /** Of 54 and 44 CPUs a task of 40 can use 40 each. */
  @Test
  void cpusThatAreTooFewForOneMoreTaskDoNotCount() {
    Job[] jobs = {
      job(0, 1, 10, 6 * Small.GIB), job(1, 1, 20, 6 * Small.GIB), job(2, 1, 40, 2 * Small.GIB)
    };
    assertEquals(List.of("0@0:1", "1@1:1", "2@0:1"), starts(Small.nodes(1, 1, 1), ONCE, jobs));
  }

  /** Slurm 26.05 does not look for the tightest node, but for the first ones of a run. */
  @Test
  void aJobOfOneNodeMayGetTheFirstOne() {
    Job[] jobs = {
      job(0, 1, 10, 6 * Small.GIB), job(1, 1, 20, 6 * Small.GIB), job(2, 1, 1, 2 * Small.GIB)
    };
    Settings first = first(Small.nodes(1, 1, 1));
    assertEquals(List.of("0@0:1", "1@1:1", "2@0:1"), starts(first, ONCE, jobs));
    Job two = job(0, 2, 1, 2 * Small.GIB);
    assertEquals(List.of("0@2:1", "0@3:1"), starts(first(gib(9, 1, 9, 9)), ONCE, two));
  }

  /**
   * Job 1 keeps CPUs of the second node when job 3 can start: then the first one is not tighter.
   */
  @Test
  void theFirstNodeIsKeptForAJobThatWaits() {
    Job[] jobs = {
      job(0, 1, 10, 10 * Small.GIB),
      job(1, 1, 5, Small.GIB, 99),
      job(2, 1, 20, 6 * Small.GIB),
      job(3, 1, 1, 9 * Small.GIB),
      job(4, 1, 1, 2 * Small.GIB, 99)
    };
    Settings nodes = Small.nodes(1, 1);
    assertEquals(
        List.of("0@0:1", "1@1:1", "2@1:1", "4@1:1", "3@0:1"), starts(first(nodes), ONCE, jobs));
    assertEquals(List.of("0@0:1", "1@1:1", "2@1:1", "3@0:1", "4@1:1"), starts(nodes, ONCE, jobs));
  }

  private static Settings first(Settings settings) {
    return new Settings(settings.nodes(), 0, 64, NodeChoice.FIRST, false);
  }

  /** Nodes of 64 CPUs and one GPU of so many GiB. */
  private static Settings gib(int... gib) {
    List<NodeSpec> nodes =
        Arrays.stream(gib)
            .mapToObj(size -> new NodeSpec("n", 64, Small.GIB, "a", 1, size * Small.GIB))
            .toList();
    return new Settings(nodes, 0, 64, NodeChoice.TIGHTEST, false);
  }

  @Test
  void theRunWithTheFewestCpusComesFirst() {
    Job one = job(0, 1, 1, 2 * Small.GIB);
    assertEquals(List.of("0@3:1"), starts(gib(9, 9, 1, 9), ONCE, one));
    assertEquals(List.of("0@0:1"), starts(gib(9, 1, 9, 1), ONCE, one));
  }

  @Test
  void aRunWithEnoughNodesComesFirst() {
    Job two = job(0, 2, 1, 2 * Small.GIB);
    assertEquals(List.of("0@2:1", "0@3:1"), starts(gib(9, 1, 9, 9), ONCE, two));
  }

  @Test
  void ifNoRunHasEnoughNodesTheOneWithTheMostCpusIsUsedUp() {
    Job three = job(0, 3, 1, 2 * Small.GIB);
    assertEquals(List.of("0@2:1", "0@3:1", "0@0:1"), starts(gib(9, 1, 9, 9), ONCE, three));
    assertEquals(List.of(), starts(gib(9, 1, 9, 1), ONCE, three));
  }

  /** Where a long job starts behind one that waits for the end of two others, on a node each. */
  private static String behindTheFirst(int limitOfOne, int limitOfOther) {
    Job[] jobs = {
      job(0, 1, 10, 6 * Small.GIB, limitOfOne),
      job(1, 1, 20, 6 * Small.GIB, limitOfOther),
      job(2, 1, 5, 2 * Small.GIB, 1000),
      job(3, 1, 1, 7 * Small.GIB),
      job(4, 1, 1, 1 * Small.GIB, 1000)
    };
    List<String> starts = starts(Small.nodes(1, 1), ONCE, jobs);
    assertEquals(List.of("0@0:1", "1@1:1", "2@1:1"), starts.subList(0, 3));
    return starts.get(3);
  }

  /** When both have ended, the second node has fewer CPUs, so the first one is not kept free. */
  @Test
  void jobsThatEndWithin30SecondsAreTakenForOne() {
    assertEquals("4@0:1", behindTheFirst(100, 130));
    assertEquals("4@1:1", behindTheFirst(100, 131));
    assertEquals("4@0:1", behindTheFirst(130, 100));
    assertEquals("4@0:1", behindTheFirst(131, 100));
  }

  /** Where job 4 starts, behind one that waits for most of a GPU. */
  private static String behindTheWaiting(Settings settings, Job a, Job b, Job c, int limitS) {
    Job[] jobs = {a, b, c, job(3, 1, 1, 7 * Small.GIB), job(4, 1, 1, 1 * Small.GIB, limitS)};
    return starts(settings, ONCE, jobs).get(3);
  }

  /**
   * As seen with Slurm 22.05 and 26.05: half a minute becomes 64, not one, to contain the next end.
   */
  @Test
  void theHalfMinuteIsDoubledUntilItContainsTheNextEnd() {
    Job half = job(1, 1, 1, 4 * Small.GIB, 600);
    Job otherHalf = job(2, 1, 1, 4 * Small.GIB, 3600);
    for (Settings nodes : List.of(Small.nodes(1, 1), first(Small.nodes(1, 1)))) {
      Job whole = job(0, 1, 1, 8 * Small.GIB, 600 + 3840);
      assertEquals("4@1:1", behindTheWaiting(nodes, whole, half, otherHalf, 9999));
      Job longer = job(0, 1, 1, 8 * Small.GIB, 600 + 3841);
      assertEquals("4@0:1", behindTheWaiting(nodes, longer, half, otherHalf, 9999));
    }
  }

  /** Doubled once more, the half minute would be longer than the longest time. */
  @Test
  void theLongestLimitOfAJobHasAnEnd() {
    long longestNs = 9_200_000_000_000_000_000L;
    long six = 6 * Small.GIB;
    Job endless = new Job(1, Small.S, 0, 9 * Small.S, longestNs, 1, 1, 1, 1, List.of(), six, 1, 0);
    Job[] jobs = {
      job(0, 1, 1, 3 * Small.GIB), endless, job(2, 1, 1, 9 * Small.GIB), job(3, 1, 1, Small.GIB)
    };
    assertEquals(List.of("0@0:1", "1@0:1", "3@0:1", "2@0:1"), starts(Small.nodes(1), ONCE, jobs));
  }

  /** As seen: Slurm 22.05 plans the start for when the job on the other node has ended, too. */
  @Test
  void theFirstNodeIsKeptFromTheEndOfItsOwnJobsOn() {
    Job half = job(0, 1, 1, 4 * Small.GIB, 600);
    Job otherHalf = job(1, 1, 1, 4 * Small.GIB, 3600);
    Job other = job(2, 1, 1, 8 * Small.GIB, 3900);
    Settings nodes = Small.nodes(1, 1);
    assertEquals("4@0:1", behindTheWaiting(nodes, half, otherHalf, other, 3900));
    assertEquals("4@1:1", behindTheWaiting(nodes, half, otherHalf, other, 3901));
    assertEquals("4@0:1", behindTheWaiting(first(nodes), half, otherHalf, other, 3600));
    assertEquals("4@1:1", behindTheWaiting(first(nodes), half, otherHalf, other, 3601));
    Settings slurm2505 = new Settings(nodes.nodes(), 0, 64, NodeChoice.TIGHTEST, false, true);
    assertEquals("4@0:1", behindTheWaiting(slurm2505, half, otherHalf, other, 3600));
    assertEquals("4@1:1", behindTheWaiting(slurm2505, half, otherHalf, other, 3601));
  }
}
