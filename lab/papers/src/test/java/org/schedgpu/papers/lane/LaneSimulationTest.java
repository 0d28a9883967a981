package org.schedgpu.papers.lane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.papers.lane.Members.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LaneSimulationTest {
  private static LaneSettings settings(long capacity, LanePolicy policy) {
    return LaneSettings.of(capacity, policy).withQuantum(10).withIdle(10);
  }

  private static long[] ends(LaneOutcome outcome) {
    return outcome.jobs().stream().mapToLong(LaneOutcome.JobRun::lastNs).toArray();
  }

  @Test
  void exclusivelyOneJobRunsAfterTheOther() {
    List<LaneJob> jobs = List.of(job("a", 0, 1, 1, 3), job("b", 5, 1, 1, 1));
    LaneOutcome outcome = LaneSimulation.play(jobs, LaneSettings.exclusive(100));
    assertArrayEquals(new long[] {30, 40}, ends(outcome));
    assertEquals(25, outcome.jobs().get(1).queuedNs());
    assertEquals(35, outcome.jobs().get(1).completionNs());
  }

  @Test
  void exclusivelyTheStartUpHoldsTheDeviceAndInALaneItDoesNot() {
    LaneJob.Work work = new LaneJob.Work(100, 1, 0, 10, List.of(), true);
    LaneJob.Memory memory = new LaneJob.Memory(1, 1);
    List<LaneJob> jobs =
        List.of(LaneJob.of("a", 0, memory, work), LaneJob.of("b", 0, memory, work));
    assertArrayEquals(
        new long[] {110, 220}, ends(LaneSimulation.play(jobs, LaneSettings.exclusive(100))));
    LaneSettings one = settings(100, LanePolicy.PACK).withLanes(1);
    assertArrayEquals(new long[] {110, 120}, ends(LaneSimulation.play(jobs, one)));
  }

  @Test
  void lanesComputeAtTheSameTimeAndShareTheDevice() {
    List<LaneJob> jobs = List.of(job("a", 0, 1, 9, 2), job("b", 0, 1, 9, 1));
    LaneOutcome outcome = LaneSimulation.play(jobs, settings(20, LanePolicy.PACK));
    assertArrayEquals(new long[] {30, 20}, ends(outcome));
    assertEquals(2, outcome.mostLanes());
    assertEquals(30, outcome.gpuBusyNs());
  }

  @Test
  void partsWithoutComputingOverlapInDifferentLanes() {
    LaneJob.Memory memory = new LaneJob.Memory(1, 4);
    LaneJob.Work work = LaneJob.Work.training(1, 30, 10);
    List<LaneJob> jobs =
        List.of(LaneJob.of("a", 0, memory, work), LaneJob.of("b", 0, memory, work));
    assertEquals(50, LaneSimulation.play(jobs, settings(10, LanePolicy.PACK)).makespanNs());
    assertEquals(80, LaneSimulation.play(jobs, settings(9, LanePolicy.PACK)).makespanNs());
  }

  @Test
  void inOneLaneIterationsRunOneAtATimeAndFairAlternates() {
    List<LaneJob> jobs = List.of(job("a", 0, 1, 9, 3), job("b", 0, 1, 9, 3));
    LaneOutcome outcome = LaneSimulation.play(jobs, settings(11, LanePolicy.FAIR));
    assertArrayEquals(new long[] {10, 30, 50}, outcome.jobs().get(0).endNs());
    assertArrayEquals(new long[] {20, 40, 60}, outcome.jobs().get(1).endNs());
    assertEquals(11, outcome.mostBytes());
  }

  @Test
  void switchingTakesItsTime() {
    List<LaneJob> jobs = List.of(job("a", 0, 1, 9, 1), job("b", 0, 1, 9, 1));
    LaneSettings settings = settings(11, LanePolicy.PACK).withSwitch(7);
    assertArrayEquals(new long[] {10, 27}, ends(LaneSimulation.play(jobs, settings)));
  }

  @Test
  void aShorterJobTakesOverAtTheNextEndOfAnIteration() {
    List<LaneJob> jobs = List.of(job("long", 0, 1, 9, 10), job("short", 13, 1, 9, 2));
    LaneOutcome outcome = LaneSimulation.play(jobs, settings(11, LanePolicy.SRTF));
    assertArrayEquals(new long[] {120, 40}, ends(outcome));
    assertEquals(
        List.of(
            new LaneOutcome.Span(0, 0, 20),
            new LaneOutcome.Span(0, 40, 120),
            new LaneOutcome.Span(1, 20, 40)),
        outcome.spans(0));
  }

  @Test
  void whoJoinsAFairLaneStartsWithTheLeastServiceThere() {
    List<LaneJob> jobs = List.of(job("old", 0, 1, 9, 20), job("new", 95, 1, 9, 3));
    LaneOutcome outcome = LaneSimulation.play(jobs, settings(11, LanePolicy.FAIR));
    assertArrayEquals(new long[] {110, 130, 150}, outcome.jobs().get(1).endNs());
  }

  @Test
  void anIdleTurnIsUsedByOthersBetweenRequests() {
    LaneJob.Memory memory = new LaneJob.Memory(1, 9);
    LaneJob.Work first = new LaneJob.Work(0, 2, 0, 10, List.of(0L, 100L), false);
    LaneJob.Work second = new LaneJob.Work(0, 1, 0, 10, List.of(50L), false);
    LaneOutcome outcome =
        LaneSimulation.play(
            List.of(LaneJob.of("a", 0, memory, first), LaneJob.of("b", 0, memory, second)),
            settings(11, LanePolicy.FAIR));
    assertArrayEquals(new long[] {10, 110}, outcome.jobs().get(0).endNs());
    assertArrayEquals(new long[] {60}, outcome.jobs().get(1).endNs());
  }

  @Test
  void aWaiterFindsATurnThatBecameIdleAtItsNextLook() {
    LaneJob.Memory memory = new LaneJob.Memory(1, 9);
    LaneJob.Work first = new LaneJob.Work(0, 2, 0, 10, List.of(0L, 100L), false);
    LaneJob.Work second = new LaneJob.Work(0, 1, 0, 10, List.of(5L), false);
    LaneOutcome outcome =
        LaneSimulation.play(
            List.of(LaneJob.of("a", 0, memory, first), LaneJob.of("b", 0, memory, second)),
            settings(11, LanePolicy.PACK));
    assertArrayEquals(new long[] {25}, outcome.jobs().get(1).beginNs()); // at 15 it was idle for 5
  }

  @Test
  void aJobThatFitsOnNoEmptyDeviceIsRefused() {
    String text =
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    LaneSimulation.play(
                        List.of(job("big", 0, 2, 9, 1)), settings(10, LanePolicy.PACK)))
            .getMessage();
    assertEquals("simulator: job big needs 11 bytes, the device has 10: leave it out", text);
  }

  /** The safety condition, one iteration at a time in a lane, and no job is lost. */
  @Test
  void randomJobsNeverExceedTheDeviceAndAllEnd() {
    LongStream.range(0, 60).forEach(LaneSimulationTest::playRandom);
  }

  private static void playRandom(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<LaneJob> jobs = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      jobs.add(
          new LaneJob(
              "job " + i,
              random.nextInt(500),
              new LaneJob.Memory(1 + random.nextInt(5), random.nextInt(20)),
              LaneJob.Work.training(
                  1 + random.nextInt(9), random.nextInt(9), 1 + random.nextInt(9)),
              random.nextInt(2),
              1 + random.nextInt(3)));
    }
    LanePolicy policy = LanePolicy.values()[(int) (seed % 4)];
    LaneSettings settings =
        new LaneSettings(26, policy, 1 + random.nextInt(4), 20, 5, random.nextInt(3), 1, false);
    LaneOutcome outcome = LaneSimulation.play(jobs, settings);
    String which = "seed " + seed;
    assertTrue(outcome.mostBytes() <= 26, which);
    assertTrue(outcome.mostLanes() <= settings.lanes(), which);
    for (LaneOutcome.JobRun run : outcome.jobs()) {
      assertTrue(run.lastNs() > run.job().arriveNs(), which);
    }
    assertTrue(mostAtATime(outcome) <= outcome.mostLanes(), which);
  }

  private static int mostAtATime(LaneOutcome outcome) {
    List<long[]> changes = new ArrayList<>();
    for (LaneOutcome.JobRun run : outcome.jobs()) {
      for (int i = 0; i < run.endNs().length; i++) {
        changes.add(new long[] {run.beginNs()[i], 1});
        changes.add(new long[] {run.endNs()[i], -1});
      }
    }
    changes.sort(Comparator.<long[]>comparingLong(c -> c[0]).thenComparingLong(c -> c[1]));
    int most = 0;
    int now = 0;
    for (long[] change : changes) {
      now += (int) change[1];
      most = Math.max(most, now);
    }
    return most;
  }
}
