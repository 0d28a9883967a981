package org.schedgpu.papers.paper004;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.LanePolicy;

/** When jobs begin and end; who is first is the core's matter. Sizes are MiB, times ms. */
class LaneSimulationTest {
  private static final long MIB = 1 << 20;
  private static final long MS = 1_000_000;

  private static LaneSettings settings(long capacity, LanePolicy policy) {
    return LaneSettings.of(capacity * MIB, policy).withQuantum(10 * MS);
  }

  private static LaneJob.Memory memory(long persistent, long ephemeral) {
    return new LaneJob.Memory(persistent * MIB, ephemeral * MIB);
  }

  /** Iterations of 10 each, the device busy all the time. */
  private static LaneJob job(
      String name, long arrive, long persistent, long ephemeral, int iterations) {
    return LaneJob.of(
        name,
        arrive * MS,
        memory(persistent, ephemeral),
        LaneJob.Work.training(iterations, 0, 10 * MS));
  }

  /** Iterations of 10 that are asked for at these times. */
  private static LaneJob server(String name, Long... requests) {
    List<Long> ns = Arrays.stream(requests).map(at -> at * MS).toList();
    return LaneJob.of(
        name, 0, memory(1, 9), new LaneJob.Work(0, requests.length, 0, 10 * MS, ns, false));
  }

  private static long[] ends(LaneOutcome outcome) {
    return outcome.jobs().stream().mapToLong(job -> job.lastNs() / MS).toArray();
  }

  private static long[] ms(long[] ns) {
    return Arrays.stream(ns).map(at -> at / MS).toArray();
  }

  @Test
  void exclusivelyOneJobRunsAfterTheOther() {
    List<LaneJob> jobs = List.of(job("a", 0, 1, 1, 3), job("b", 5, 1, 1, 1));
    LaneOutcome outcome = LaneSimulation.play(jobs, LaneSettings.exclusive(100 * MIB));
    assertArrayEquals(new long[] {30, 40}, ends(outcome));
    assertEquals(25 * MS, outcome.jobs().get(1).queuedNs());
    assertEquals(35 * MS, outcome.jobs().get(1).completionNs());
  }

  @Test
  void exclusivelyTheStartUpHoldsTheDeviceAndInALaneItDoesNot() {
    LaneJob.Work work = new LaneJob.Work(100 * MS, 1, 0, 10 * MS, List.of(), true);
    List<LaneJob> jobs =
        List.of(LaneJob.of("a", 0, memory(1, 1), work), LaneJob.of("b", 0, memory(1, 1), work));
    assertArrayEquals(
        new long[] {110, 220}, ends(LaneSimulation.play(jobs, LaneSettings.exclusive(100 * MIB))));
    LaneSettings one = settings(100, LanePolicy.PACK).withLanes(1);
    assertArrayEquals(new long[] {110, 120}, ends(LaneSimulation.play(jobs, one)));
  }

  @Test
  void lanesComputeAtTheSameTimeAndShareTheDevice() {
    List<LaneJob> jobs = List.of(job("a", 0, 1, 9, 2), job("b", 0, 1, 9, 1));
    LaneOutcome outcome = LaneSimulation.play(jobs, settings(20, LanePolicy.PACK));
    assertArrayEquals(new long[] {30, 20}, ends(outcome));
    assertEquals(2, outcome.mostLanes());
    assertEquals(30 * MS, outcome.gpuBusyNs());
  }

  @Test
  void partsWithoutComputingOverlapInDifferentLanes() {
    LaneJob.Work work = LaneJob.Work.training(1, 30 * MS, 10 * MS);
    List<LaneJob> jobs =
        List.of(LaneJob.of("a", 0, memory(1, 4), work), LaneJob.of("b", 0, memory(1, 4), work));
    assertEquals(50 * MS, LaneSimulation.play(jobs, settings(10, LanePolicy.PACK)).makespanNs());
    assertEquals(80 * MS, LaneSimulation.play(jobs, settings(9, LanePolicy.PACK)).makespanNs());
  }

  @Test
  void inOneLaneIterationsRunOneAtATimeAndFairAlternates() {
    List<LaneJob> jobs = List.of(job("a", 0, 1, 9, 3), job("b", 0, 1, 9, 3));
    LaneOutcome outcome = LaneSimulation.play(jobs, settings(11, LanePolicy.FAIR));
    assertArrayEquals(new long[] {10, 30, 50}, ms(outcome.jobs().get(0).endNs()));
    assertArrayEquals(new long[] {20, 40, 60}, ms(outcome.jobs().get(1).endNs()));
    assertEquals(11 * MIB, outcome.mostBytes());
  }

  @Test
  void aJobThatFindsNoMemoryBeginsWhenAnotherEnds() {
    List<LaneJob> jobs = List.of(job("a", 0, 6, 4, 2), job("b", 0, 6, 4, 1));
    assertArrayEquals(
        new long[] {20, 30}, ends(LaneSimulation.play(jobs, settings(15, LanePolicy.PACK))));
  }

  @Test
  void aShorterJobTakesOverAtTheNextEndOfAnIteration() {
    List<LaneJob> jobs = List.of(job("long", 0, 1, 9, 10), job("short", 13, 1, 9, 2));
    LaneOutcome outcome = LaneSimulation.play(jobs, settings(11, LanePolicy.SRTF));
    assertArrayEquals(new long[] {120, 40}, ends(outcome));
    assertEquals(
        List.of(
            new LaneOutcome.Span(0, 0, 20 * MS),
            new LaneOutcome.Span(0, 40 * MS, 120 * MS),
            new LaneOutcome.Span(1, 20 * MS, 40 * MS)),
        outcome.spans(0));
  }

  @Test
  void anIdleTurnIsUsedByOthersBetweenRequests() {
    LaneOutcome outcome =
        LaneSimulation.play(
            List.of(server("a", 0L, 100L), server("b", 50L)), settings(11, LanePolicy.FAIR));
    assertArrayEquals(new long[] {10, 110}, ms(outcome.jobs().get(0).endNs()));
    assertArrayEquals(new long[] {60}, ms(outcome.jobs().get(1).endNs()));
  }

  @Test
  void aWaiterFindsATurnThatBecameIdleAtItsNextLook() {
    LaneOutcome outcome =
        LaneSimulation.play(
            List.of(server("a", 0L, 100L), server("b", 8L)), settings(11, LanePolicy.PACK));
    assertArrayEquals(new long[] {18}, ms(outcome.jobs().get(1).beginNs())); // at 13: for 3 only
  }

  @Test
  void aJobThatFitsOnNoEmptyDeviceIsRefused() {
    List<LaneJob> jobs = List.of(job("big", 0, 2, 9, 1));
    String text =
        assertThrows(
                IllegalStateException.class,
                () -> LaneSimulation.play(jobs, settings(10, LanePolicy.PACK)))
            .getMessage();
    assertEquals(
        "papers: job big: the core answers ETOOBIG: check that each job fits on the device", text);
  }

  /** No more bytes, lanes and iterations at a time than there may be, and no job is lost. */
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
              random.nextInt(500) * MS,
              memory(1 + random.nextInt(5), random.nextInt(20)),
              LaneJob.Work.training(
                  1 + random.nextInt(9), random.nextInt(9) * MS, (1 + random.nextInt(9)) * MS),
              random.nextInt(2),
              1 + random.nextInt(3)));
    }
    LanePolicy policy = LanePolicy.values()[(int) (seed % 4)];
    LaneSettings settings = settings(26, policy).withLanes(1 + random.nextInt(4));
    LaneOutcome outcome = LaneSimulation.play(jobs, settings);
    String which = "seed " + seed;
    assertTrue(outcome.mostBytes() <= 26 * MIB, which);
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
