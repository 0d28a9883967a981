package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.common.GresException;

/** Other events during a rollout. */
class RolloutTroubleTest {
  private final RolloutFixture fixture = new RolloutFixture("gpu1", "gpu2", "gpu3");
  private final FakeCluster cluster = fixture.cluster;

  private void assertStopped(String message, RolloutResult ending) {
    assertEquals(RolloutResult.Kind.STOPPED, ending.kind(), ending::message);
    assertEquals(message, ending.message().lines().findFirst().orElseThrow());
    assertTrue(fixture.record().phase().isOpen());
    fixture.assertNoJobWasKilled();
  }

  /** During the last check before the restart, after the files were changed. */
  @Test
  void jobThatStartsBetweenDrainAndRestartIsWaitedFor() {
    boolean[] done = {false};
    cluster.beforeLastCheck =
        () -> {
          if (!done[0] && fixture.record().phase() == Phase.RESTARTING) {
            done[0] = true;
            cluster.release("gpu2");
            cluster.start("gpu2", "gres:gpu:1");
          }
        };
    fixture.whileWaiting = fixture::endJobs;
    fixture.assertDone(fixture.run());
    String said = fixture.said.toString();
    assertTrue(said.contains("node gpu2 was resumed by somebody: slurmctld is not "), said);
    assertEquals(2, cluster.log.stream().filter("drain gpu2"::equals).count());
  }

  @Test
  void nodeThatIsResumedAgainAndAgainStopsTheRollout() {
    cluster.beforeLastCheck = () -> cluster.release("gpu2");
    assertStopped(
        "schedgpu gres: node gpu2 was drained, but somebody resumes it repeatedly: find out who"
            + " resumes it, then repeat with --continue",
        fixture.run());
    assertFalse(cluster.log.contains("files"));
  }

  @Test
  void nodeThatGoesDownLeavesTheOnesAfterItDrained() {
    cluster.point =
        () -> {
          if (cluster.log.contains("resume gpu1")) {
            cluster.node("gpu2").down = true;
          }
        };
    assertStopped(
        "schedgpu gres: node gpu2 does not respond (DOWN+DRAIN), still drained: gpu2 gpu3: correct"
            + " that and repeat with --continue, or go back with --revert",
        fixture.run());
    fixture.assertInService("gpu1");
    assertTrue(cluster.node("gpu2").drained && cluster.node("gpu3").drained);
    cluster.point = () -> {};
    cluster.node("gpu2").down = false;
    fixture.assertDone(fixture.run());
    fixture.assertInService("gpu2");
  }

  @Test
  void slurmdWithTheOldCountStopsThere() {
    cluster.node("gpu2").stubborn = true;
    String message =
        "schedgpu gres: node gpu2 is refused by slurmctld (INVALID_REG): its slurmd has not"
            + " gpu:k20m:12, still drained: gpu2 gpu3: correct that and repeat with --continue, or"
            + " go back with --revert";
    assertStopped(message, fixture.run());
    fixture.assertInService("gpu1");
    assertTrue(cluster.node("gpu3").drained);
    assertStopped(message, fixture.run());
    cluster.node("gpu2").stubborn = false;
    fixture.assertDone(fixture.run());
    fixture.assertInService("gpu3");
  }

  @Test
  void failedRestartOfSlurmctldStopsWithItsOutput() {
    fixture.fails.put("ctld", "ended with exit code 5\nUnit slurmctld.service not found.");
    RolloutResult ending = fixture.run();
    assertStopped(
        "schedgpu gres: --restart-slurmctld for slurmctld ended with exit code 5: correct that and"
            + " repeat with --continue",
        ending);
    assertTrue(ending.message().endsWith("\nUnit slurmctld.service not found."));
    fixture.fails.clear();
    fixture.assertDone(fixture.run());
  }

  @Test
  void failedRestartOfOneSlurmdDoesNotKeepTheOthersBack() {
    fixture.fails.put("slurmd gpu2", "ended with exit code 255\nno route to host");
    assertStopped(
        "schedgpu gres: node gpu2 has a slurmd that was not restarted: ended with exit code 255",
        fixture.run());
    fixture.assertInService("gpu1");
    assertTrue(cluster.log.contains("restart slurmd gpu3"));
    fixture.fails.clear();
    fixture.assertDone(fixture.run());
  }

  @Test
  void commandThatRestartsNothingIsNoticed() {
    fixture.restartsLater = true;
    assertStopped(
        "schedgpu gres: slurmctld runs since t1 and was not restarted, though its command ended"
            + " well: correct --restart-slurmctld and repeat with --continue",
        fixture.run());
  }

  @Test
  void slurmctldThatReadsOtherFilesIsNoticed() {
    cluster.beforeLastCheck =
        () -> cluster.countInFiles = fixture.record().phase() == Phase.RESTARTING ? 2 : 12;
    assertStopped(
        "schedgpu gres: slurmctld was restarted, but has gpu:k20m:2 for node gpu1, not"
            + " gpu:k20m:12: see that it reads the slurm.conf of the rollout, then --continue",
        fixture.run());
    cluster.beforeLastCheck = () -> {};
    cluster.countInFiles = 12;
    fixture.assertDone(fixture.run());
  }

  @Test
  void slurmctldThatDoesNotAnswerIsWaitedForAWhile() {
    cluster.start("gpu1", "gres:gpu:1");
    int[] waitTimer = {0};
    fixture.whileWaiting =
        () -> {
          waitTimer[0]++;
          cluster.unreachable = waitTimer[0] > 1 && waitTimer[0] < 10;
          if (waitTimer[0] > 12) {
            fixture.endJobs();
          }
        };
    fixture.assertDone(fixture.run());
  }

  @Test
  void slurmctldThatStaysAwayStopsTheRollout() {
    cluster.start("gpu1", "gres:gpu:1");
    fixture.whileWaiting = () -> cluster.unreachable = true;
    assertStopped("schedgpu gres: slurmctld does not answer: start it", fixture.run());
    cluster.unreachable = false;
    fixture.whileWaiting = fixture::endJobs;
    fixture.assertDone(fixture.run());
  }

  /** slurmctld has fewer GPUs than the old slurmd, so the node takes jobs. */
  @Test
  void nodeThatSomebodyResumesBeforeItsSlurmdIsRestartedIsClosedAgain() {
    RolloutFixture shrinking = new RolloutFixture(12, 2, "gpu1", "gpu2");
    boolean[] done = {false};
    shrinking.cluster.beforeLastCheck =
        () -> {
          if (!done[0]
              && shrinking.record().phase() == Phase.NODES
              && shrinking.cluster.node("gpu2").registered) {
            done[0] = true;
            shrinking.cluster.release("gpu2");
            shrinking.cluster.start("gpu2", "gres:gpu:1");
          }
        };
    shrinking.whileWaiting = shrinking::endJobs;
    shrinking.assertDone(shrinking.run());
    assertTrue(shrinking.cluster.log.stream().filter("drain gpu2"::equals).count() > 1);
    shrinking.assertInService("gpu2");
  }

  @Test
  void nodeWhoseIndexesMoveIsClearedThoughItsCountStays() {
    RolloutFixture moving = new RolloutFixture(4, 4, "gpu1", "gpu2");
    moving.cluster.start("gpu1", "gres:gpu:1");
    moving.whileWaiting = moving::endJobs;
    moving.assertDone(moving.run());
    assertTrue(moving.cluster.log.indexOf("drain gpu1") < moving.cluster.log.indexOf("files"));
    moving.assertInService("gpu1");
  }

  @Test
  void countOfAnotherNodeThatIsEditedMeanwhileKeepsSlurmctldFromItsRestart() {
    fixture.leaveAsItIs("gpu3");
    cluster.start("gpu3", "gres:gpu:1");
    assertStopped(
        "schedgpu gres: node gpu3 has gpu:k20m:2, but slurm.conf now says gpu:k20m:12, and it is"
            + " not drained: slurmctld is not restarted: restore its line or repair the node, then"
            + " repeat with --continue",
        fixture.run());
    fixture.inPlace = () -> Map.of("gpu1", "gpu:k20m:12", "gpu2", "gpu:k20m:12");
    assertStopped(
        "schedgpu gres: node gpu3 has gpu:k20m:2, but slurm.conf now says nothing of it, and it is"
            + " not drained: slurmctld is not restarted: restore its line or repair the node, then"
            + " repeat with --continue",
        fixture.run());
    assertFalse(cluster.log.contains("restart slurmctld"));
  }

  @Test
  void whatNobodyThoughtOfIsAStopAndNoEnd() {
    cluster.beforeLastCheck =
        () -> {
          throw new IllegalStateException("boom");
        };
    assertStopped(
        "schedgpu gres: unexpected: java.lang.IllegalStateException: boom: repeat with --continue,"
            + " and tell us",
        fixture.run());
  }

  /** Another rollout owns its nodes until that one ends. */
  @Test
  void nodeThatAnotherRolloutDrainedIsItsOwn() {
    cluster.hold("gpu2", "schedgpu rollout 20200101T000000Z");
    fixture.assertDone(fixture.run());
    assertEquals("schedgpu rollout 20200101T000000Z", cluster.node("gpu2").reason);
    assertFalse(cluster.log.contains("resume gpu2"));
  }

  /** slurmctld may have the counts of the other rollout, and the nodes would accept jobs. */
  @Test
  void wayBackOfWhatIsNotFinishedCannotBeGivenUp() {
    RolloutRecord back = fixture.record().following("20200101T000000Z");
    cluster.hold("gpu2", back.reason());
    GresException e =
        assertThrows(
            GresException.class, () -> Abort.run(back, cluster, fixture.store(), fixture.files()));
    assertTrue(e.getMessage().contains("takes back 20200101T000000Z, which was"), e.getMessage());
    assertTrue(cluster.node("gpu2").drained);
  }

  @Test
  void nodesOfTheRolloutThatIsTakenBackAreTakenOver() {
    fixture.follow("20200101T000000Z");
    cluster.hold("gpu2", "schedgpu rollout 20200101T000000Z");
    fixture.assertDone(fixture.run());
    fixture.assertInService("gpu2");
  }

  /** A node that was down returns, and accepts jobs. */
  @Test
  void downNodeThatComesBackIsDrained() {
    cluster.node("gpu2").down = true;
    cluster.start("gpu1", "gres:gpu:1");
    fixture.whileWaiting =
        () -> {
          if (cluster.node("gpu2").down) {
            cluster.node("gpu2").down = false;
            cluster.start("gpu2", "gres:gpu:1");
          } else {
            fixture.endJobs();
          }
        };
    fixture.assertDone(fixture.run());
    fixture.assertInService("gpu2");
  }
}
