package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Runs that end at every point, before and after each change of the cluster and the record. */
class KilledRolloutTest {
  private static final int MIN_POINTS = 35;

  private static boolean killed(Bench bench, int point) {
    try {
      bench.run(point);
      return false;
    } catch (Bench.Killed e) {
      bench.assertNoJobWasKilled();
      return true;
    }
  }

  private static Bench bench() {
    Bench bench = new Bench("gpu1", "gpu2", "gpu3");
    bench.cluster.hold("gpu3", "fan broken");
    bench.cluster.start("gpu1", "gres:gpu:1");
    bench.whileWaiting = bench::endJobs;
    return bench;
  }

  private static void assertRight(Bench bench) {
    bench.assertInService("gpu1");
    bench.assertInService("gpu2");
    assertEquals("fan broken", bench.cluster.node("gpu3").reason);
    assertTrue(bench.cluster.node("gpu3").drained);
  }

  @Test
  void continueFinishes() {
    int point = 1;
    for (; ; point++) {
      Bench bench = bench();
      if (!killed(bench, point)) {
        break;
      }
      bench.assertDone(bench.run());
      assertRight(bench);
    }
    assertTrue(point > MIN_POINTS, "points: " + point);
  }

  @Test
  void killedContinueIsContinued() {
    for (int first = 1; killed(bench(), first); first += 3) {
      boolean more = true;
      for (int second = 1; more; second++) {
        Bench bench = bench();
        assertTrue(killed(bench, first));
        more = killed(bench, second);
        bench.assertDone(bench.run());
        assertRight(bench);
      }
    }
  }

  /** Between the kill and the next run somebody gives the nodes back, and jobs start. */
  @Test
  void jobsThatStartInBetweenAreWaitedFor() {
    for (int point = 1; ; point++) {
      Bench bench = bench();
      if (!killed(bench, point)) {
        break;
      }
      if (!bench.record().phase().isOpen()) {
        continue;
      }
      bench.cluster.release("gpu1");
      bench.cluster.release("gpu2");
      bench.cluster.start("gpu1", "gres:gpu:1");
      bench.cluster.start("gpu2", "");
      bench.assertDone(bench.run());
      assertRight(bench);
    }
  }

  @Test
  void abortResumesWhatWasDrainedOrRefuses() {
    for (int point = 1; ; point++) {
      Bench bench = bench();
      if (!killed(bench, point)) {
        break;
      }
      boolean changed = bench.cluster.countInFiles == 12;
      try {
        Abort.run(bench.record(), bench.cluster, bench.store(), bench.files());
        assertTrue(!changed, "it was too late");
        assertEquals(Phase.ENDED, bench.record().phase());
        assertTrue(!bench.cluster.node("gpu1").drained && !bench.cluster.node("gpu2").drained);
      } catch (org.schedgpu.gres.common.GresException e) {
        assertTrue(changed && e.getMessage().contains("go back with"), e.getMessage());
      }
      assertEquals("fan broken", bench.cluster.node("gpu3").reason);
    }
  }
}
