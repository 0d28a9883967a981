package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Runs that end at every point, before and after each change of the cluster and the record. */
class KilledRolloutTest {
  private static final int MIN_POINTS = 35;

  private static boolean killed(RolloutFixture fixture, int point) {
    try {
      fixture.run(point);
      return false;
    } catch (RolloutFixture.Killed e) {
      fixture.assertNoJobWasKilled();
      return true;
    }
  }

  private static RolloutFixture fixture() {
    RolloutFixture fixture = new RolloutFixture("gpu1", "gpu2", "gpu3");
    fixture.cluster.hold("gpu3", "fan broken");
    fixture.cluster.start("gpu1", "gres:gpu:1");
    fixture.whileWaiting = fixture::endJobs;
    return fixture;
  }

  private static void assertRight(RolloutFixture fixture) {
    fixture.assertInService("gpu1");
    fixture.assertInService("gpu2");
    assertEquals("fan broken", fixture.cluster.node("gpu3").reason);
    assertTrue(fixture.cluster.node("gpu3").drained);
  }

  @Test
  void continueFinishes() {
    int point = 1;
    for (; ; point++) {
      RolloutFixture fixture = fixture();
      if (!killed(fixture, point)) {
        break;
      }
      fixture.assertDone(fixture.run());
      assertRight(fixture);
    }
    assertTrue(point > MIN_POINTS, "points: " + point);
  }

  @Test
  void killedContinueIsContinued() {
    for (int first = 1; killed(fixture(), first); first += 3) {
      boolean more = true;
      for (int second = 1; more; second++) {
        RolloutFixture fixture = fixture();
        assertTrue(killed(fixture, first));
        more = killed(fixture, second);
        fixture.assertDone(fixture.run());
        assertRight(fixture);
      }
    }
  }

  /** Between the kill and the next run somebody resumes the nodes, and jobs start. */
  @Test
  void jobsThatStartInBetweenAreWaitedFor() {
    for (int point = 1; ; point++) {
      RolloutFixture fixture = fixture();
      if (!killed(fixture, point)) {
        break;
      }
      if (!fixture.record().phase().isOpen()) {
        continue;
      }
      fixture.cluster.release("gpu1");
      fixture.cluster.release("gpu2");
      fixture.cluster.start("gpu1", "gres:gpu:1");
      fixture.cluster.start("gpu2", "");
      fixture.assertDone(fixture.run());
      assertRight(fixture);
    }
  }

  @Test
  void abortResumesWhatWasDrainedOrRefuses() {
    for (int point = 1; ; point++) {
      RolloutFixture fixture = fixture();
      if (!killed(fixture, point)) {
        break;
      }
      boolean changed = fixture.cluster.countInFiles == 12;
      try {
        Abort.run(fixture.record(), fixture.cluster, fixture.store(), fixture.files());
        assertTrue(!changed, "it was too late");
        assertEquals(Phase.ENDED, fixture.record().phase());
        assertTrue(!fixture.cluster.node("gpu1").drained && !fixture.cluster.node("gpu2").drained);
      } catch (org.schedgpu.gres.common.GresException e) {
        assertTrue(changed && e.getMessage().contains("go back with"), e.getMessage());
      }
      assertEquals("fan broken", fixture.cluster.node("gpu3").reason);
    }
  }
}
