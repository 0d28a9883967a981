package org.schedgpu.agent.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.history.JobRecord;

/** Each case is computed by hand; times are in seconds. */
class ComparisonTest {
  private static final Window HOUR = MadeHistory.window(0, 3600);

  private static Comparison of(int devices, JobRecord... jobs) {
    return Comparison.of(List.of(jobs), HOUR, devices);
  }

  private static Outcome seconds(
      int jobs, double makespan, double wait, double turnaround, double occupied) {
    return new Outcome(jobs, ns(makespan), ns(wait), ns(turnaround), ns(occupied));
  }

  private static long ns(double seconds) {
    return Math.round(seconds * MadeHistory.SECOND_NS);
  }

  @Test
  void twoJobsThatRanSideBySideWouldHaveRunOneBehindTheOther() {
    Comparison comparison =
        of(1, MadeHistory.job(1, 7, 0, 0, 100, 0), MadeHistory.job(2, 7, 0, 0, 100, 0));
    assertEquals(seconds(2, 100, 0, 100, 100), comparison.shared());
    assertEquals(seconds(2, 200, 50, 150, 200), comparison.exclusive());
    // (t + 2t) / 2 = 100 at t = 66.7: one and a half times as fast
    assertEquals(150, comparison.breakEvenPercent());
    assertEquals("better", new Verdict(comparison).kind());
  }

  @Test
  void waitsForMemoryAreNoPartOfTheRun() {
    // Both need the whole memory, so the second waited for the first: nothing is gained.
    Comparison comparison =
        of(1, MadeHistory.job(1, 7, 0, 0, 60, 0), MadeHistory.job(2, 7, 0, 10, 120, 50));
    assertEquals(seconds(2, 120, 25, 85, 120), comparison.shared());
    assertEquals(comparison.shared(), comparison.exclusive());
    assertEquals("same", new Verdict(comparison).kind());
    assertNull(comparison.breakEvenPercent());
  }

  @Test
  void whereSharingLostItSaysSo() {
    // Slurm put both on device 0, and 1 was idle.
    Comparison comparison =
        of(2, MadeHistory.job(1, 7, 0, 0, 60, 0), MadeHistory.job(2, 7, 0, 0, 120, 60));
    assertEquals(seconds(2, 60, 0, 60, 120), comparison.exclusive());
    assertEquals(seconds(2, 120, 30, 90, 120), comparison.shared());
    Verdict verdict = new Verdict(comparison);
    assertEquals("worse", verdict.kind());
    assertTrue(verdict.sentence().startsWith("Sharing lost: "), verdict.sentence());
    assertEquals(
        List.of(
            "If jobs ran faster alone than they did beside neighbours, sharing lost more than"
                + " that."),
        verdict.caveats());
  }

  @Test
  void theFirstToArriveIsServedFirstOnTheDeviceThatIsFreeFirst() {
    Comparison comparison =
        of(
            2,
            MadeHistory.job(3, 7, 0, 20, 30, 0),
            MadeHistory.job(1, 7, 0, 0, 100, 0),
            MadeHistory.job(2, 7, 0, 10, 50, 0));
    // Starts at 0, 10, 50.
    assertEquals(seconds(3, 100, 10, 60, 150), comparison.exclusive());
  }

  @Test
  void nobodyOvertakesAJobThatNeedsSeveralDevices() {
    JobRecord wide = MadeHistory.job(2, "wide", 7, List.of(0, 1), 10, 60, 0, 8, 4);
    Comparison comparison =
        of(2, MadeHistory.job(1, 7, 0, 0, 100, 0), wide, MadeHistory.job(3, 7, 1, 20, 30, 0));
    // Starts at 0, 100 and 150.
    assertEquals(
        seconds(3, 160, (90 + 130) / 3.0, (100 + 140 + 140) / 3.0, 210), comparison.exclusive());
    assertEquals(150, comparison.shared().occupiedNs() / MadeHistory.SECOND_NS);
  }

  @Test
  void aDeviceThatNobodyUsedCounts() {
    assertEquals(
        0,
        of(2, MadeHistory.job(1, 7, 0, 0, 9, 0), MadeHistory.job(2, 7, 0, 0, 9, 0))
            .exclusive()
            .meanWaitNs());
  }

  @Test
  void whoeverIsLeftOutIsCountedAndNamed() {
    JobRecord gaveUp = MadeHistory.job(2, 7, 0, 10, 40, 30);
    JobRecord clockSetBack = MadeHistory.job(3, 7, 0, 100, 50, 0);
    Comparison comparison =
        of(
            1,
            MadeHistory.job(1, 7, 0, -50, 100, 0),
            gaveUp,
            clockSetBack,
            MadeHistory.job(4, 7, 0, 20, 30, 0));
    assertEquals(1, comparison.before());
    assertEquals(1, comparison.gaveUp());
    assertEquals(1, comparison.outOfTime());
    assertEquals(1, comparison.shared().jobs());
    assertEquals(
        List.of(
            "1 job is left out of the comparison: it began before this time.",
            "1 job is left out of the comparison: it waited and ended without memory, which one job"
                + " per GPU would have run: that counts against sharing.",
            "1 job is left out of the comparison: it has times that cannot be: the clock was set"
                + " back."),
        new Verdict(comparison).caveats().subList(1, 4));
  }

  @Test
  void aJobThatRunsCountsAsIfItEndedNow() {
    Comparison comparison = of(1, MadeHistory.job(1, 7, 0, 3000, -1, 0));
    assertEquals(seconds(1, 600, 0, 600, 600), comparison.shared());
    assertEquals(comparison.shared(), comparison.exclusive());
  }

  @Test
  void nothingIsClaimedOfNothing() {
    Comparison comparison = of(0);
    assertEquals("unknown", new Verdict(comparison).kind());
    assertEquals(List.of(), new Verdict(comparison).caveats());
  }
}
