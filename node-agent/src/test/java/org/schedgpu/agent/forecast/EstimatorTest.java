package org.schedgpu.agent.forecast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.agent.forecast.Queues.ALICE;
import static org.schedgpu.agent.forecast.Queues.MINUTE;
import static org.schedgpu.agent.forecast.Queues.NOW;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.RegionSnapshot.Job;

class EstimatorTest {
  private final Map<Long, ExpectedEnd> ends = new HashMap<>();

  private EstimatorTest lasts(long job, long minutes) {
    ends.put(job, ExpectedEnd.likely(minutes * MINUTE));
    return this;
  }

  private String estimate(Queues queues, long job) {
    return Estimator.of(
            queues.snapshot(),
            new Shares(queues.snapshot()),
            queues::future,
            (each, ran) ->
                ends.getOrDefault(each.id(), ExpectedEnd.unknown("has never run before")),
            Job::reference,
            NOW)
        .get(job)
        .text();
  }

  @Test
  void whoWaitsIsServedWhenTheHolderEnds() {
    lasts(1, 4);
    assertEquals("~4 min", estimate(new Queues().holds(1, ALICE, 10, 1).waits(2, ALICE, 10, 1), 2));
  }

  /** The second request in the queue also waits for the run of the first one. */
  @Test
  void whoIsServedHoldsForItsOwnTime() {
    lasts(1, 4).lasts(2, 30);
    Queues queues =
        new Queues().holds(1, ALICE, 10, 1).waits(2, ALICE, 10, 1).waits(3, ALICE, 10, 1);
    assertEquals("~4 min", estimate(queues, 2));
    assertEquals("~34 min", estimate(queues, 3));
  }

  @Test
  void ofTwoHoldersTheLaterCountsIfBothAreNeeded() {
    lasts(1, 4).lasts(2, 12);
    assertEquals(
        "~12 min",
        estimate(
            new Queues().holds(1, ALICE, 8, 1).holds(2, ALICE, 8, 1).waits(3, ALICE, 10, 1), 3));
  }

  @Test
  void behindAnUnknownJobThereIsNoEstimate() {
    assertEquals(
        "unknown: slurm:1 has never run before",
        estimate(new Queues().holds(1, ALICE, 10, 1).waits(2, ALICE, 10, 1), 2));
  }

  @Test
  void behindAKnownAndAnUnknownJobThereIsALowerBound() {
    lasts(1, 12);
    assertEquals(
        ">= 12 min",
        estimate(
            new Queues().holds(1, ALICE, 8, 1).holds(2, ALICE, 8, 1).waits(3, ALICE, 10, 1), 3));
  }

  /** Either of them is enough: the unknown job can only make it earlier. */
  @Test
  void whereTheKnownJobIsEnoughThereIsAnUpperBound() {
    lasts(1, 12);
    assertEquals(
        "at most 12 min",
        estimate(
            new Queues().holds(1, ALICE, 8, 1).holds(2, ALICE, 8, 1).waits(3, ALICE, 8, 1), 3));
  }

  @Test
  void aTimeLimitIsAnUpperBound() {
    ends.put(1L, ExpectedEnd.within(120 * MINUTE));
    assertEquals(
        "at most 2 h", estimate(new Queues().holds(1, ALICE, 10, 1).waits(2, ALICE, 10, 1), 2));
  }

  /** Slurm also ends a job that waits. */
  @Test
  void aTimeLimitHoldsWhileTheJobWaits() {
    lasts(1, 90);
    ends.put(2L, ExpectedEnd.within(60 * MINUTE));
    Queues queues =
        new Queues().holds(1, ALICE, 10, 1).waits(2, ALICE, 10, 1).waits(3, ALICE, 6, 1);
    assertEquals("~1 h", estimate(queues, 3));
  }

  @Test
  void whoGivesUpBeforeGetsAMessageAndLetsOthersPass() {
    lasts(1, 90);
    Queues queues =
        new Queues()
            .holds(1, ALICE, 10, 1)
            .waits(2, ALICE, 10, 1, Optional.of(5L))
            .waits(3, ALICE, 6, 1);
    assertEquals("not before it gives up, gives up in 5 min", estimate(queues, 2));
    assertEquals("~5 min", estimate(queues, 3));
    Queues soon = new Queues().holds(1, ALICE, 10, 1).waits(2, ALICE, 10, 1, Optional.of(0L));
    assertEquals("not before it gives up, gives up in seconds", estimate(soon, 2));
  }

  @Test
  void whoFitsIsServedAtOnce() {
    assertEquals("in seconds", estimate(new Queues().waits(1, ALICE, 6, 1), 1));
  }

  @Test
  void anEstimateIsOnlyAsExactAsItIsWorth() {
    Queues queues = new Queues().holds(1, ALICE, 10, 1).waits(2, ALICE, 10, 1);
    Map<Long, String> texts =
        Map.of(
            20_000_000_000L,
            "~20 s",
            58_000_000_000L,
            "~1 min",
            10 * MINUTE + MINUTE / 3,
            "~10 min",
            61 * MINUTE,
            "~1 h",
            90 * MINUTE,
            "~1.5 h",
            25 * 60 * MINUTE,
            "~25 h",
            100 * 60 * MINUTE,
            "~4 d");
    texts.forEach(
        (ns, text) -> {
          ends.put(1L, ExpectedEnd.likely(ns));
          assertEquals(text, estimate(queues, 2));
        });
  }

  @Test
  void theMedianIsOfThoseThatRanAsLong() {
    Durations durations = job -> List.of(MINUTE, 10 * MINUTE, 20 * MINUTE, 60 * MINUTE);
    Job job = new Queues().holds(1, ALICE, 1, 1).snapshot().jobs().get(0);
    assertEquals(ExpectedEnd.likely(15 * MINUTE), durations.ends().of(job, 0));
    assertEquals(ExpectedEnd.likely(18 * MINUTE), durations.ends().of(job, 2 * MINUTE));
    assertEquals(ExpectedEnd.likely(30 * MINUTE), durations.ends().of(job, 30 * MINUTE));
    assertEquals(
        ExpectedEnd.unknown("runs longer than ever before"), durations.ends().of(job, 61 * MINUTE));
    Durations none = unknown -> List.of();
    assertEquals(ExpectedEnd.unknown("has never run before"), none.ends().of(job, 0));
  }

  @Test
  void aLimitCapsWhatIsLikely() {
    assertEquals(ExpectedEnd.likely(5), ExpectedEnd.likely(9).atMost(5));
    assertEquals(ExpectedEnd.likely(9), ExpectedEnd.likely(9).atMost(50));
    assertEquals(ExpectedEnd.within(5), ExpectedEnd.unknown("is new").atMost(5));
  }

  /** The time that a job waited does not count as its run. */
  @Test
  void waitingIsNotRunning() {
    var snapshot = new Queues().holds(1, ALICE, 10, 7).waits(2, ALICE, 10, 3).snapshot();
    assertEquals(7 * MINUTE, Estimator.ranNs(new Shares(snapshot), snapshot.jobs().get(0), NOW));
    assertEquals(0, Estimator.ranNs(new Shares(snapshot), snapshot.jobs().get(1), NOW));
  }
}
