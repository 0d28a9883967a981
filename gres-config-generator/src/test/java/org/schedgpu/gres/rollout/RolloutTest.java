package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The procedure, step by step, on a fake cluster. */
class RolloutTest {
  private final RolloutFixture fixture = new RolloutFixture("gpu1", "gpu2", "gpu3");
  private final FakeCluster cluster = fixture.cluster;

  @Test
  void orderIsDrainFilesControllerSlurmdsResume() {
    fixture.assertDone(fixture.run());
    assertEquals(
        List.of(
            "drain gpu1",
            "drain gpu2",
            "drain gpu3",
            "files",
            "restart slurmctld",
            "restart slurmd gpu1",
            "restart slurmd gpu2",
            "restart slurmd gpu3",
            "resume gpu1",
            "resume gpu2",
            "resume gpu3"),
        cluster.log);
    for (String node : cluster.nodes.keySet()) {
      fixture.assertInService(node);
    }
  }

  /** Seen on 23.02: "Invalid generic resource" for each step until slurmctld restarts once more. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void on2302SlurmctldIsRestartedOnceMoreAfterASmallerCount(boolean byHand) {
    RolloutFixture fewer = new RolloutFixture(12, 2, "gpu1", "gpu2");
    fewer.cluster.version = "23.02.8";
    if (byHand) {
      fewer.commands = new Commands(null, "slurmd %n", null, null, 60, 60, null);
      fewer.whileWaiting =
          () -> {
            long asked = fewer.said.toString().contains("needs one more restart") ? 2 : 1;
            if (count(fewer.cluster) < asked
                && fewer.said.toString().contains("restart slurmctld now")) {
              fewer.cluster.restartController();
            }
          };
    }
    fewer.assertDone(fewer.run());
    List<String> log = fewer.cluster.log;
    assertTrue(
        log.lastIndexOf("restart slurmctld") > log.lastIndexOf("restart slurmd gpu2"),
        log::toString);
    assertEquals(2, count(fewer.cluster));
    assertFalse(fewer.cluster.node("gpu1").stepsFail);
    fewer.assertInService("gpu1");

    cluster.version = "23.02.8";
    fixture.assertDone(fixture.run());
    assertEquals(1, count(cluster));
  }

  private static long count(FakeCluster of) {
    return of.log.stream().filter("restart slurmctld"::equals).count();
  }

  /**
   * The behaviour of 24.11 and 26.05: the old count until a slurmd registers, also for a node with
   * a CPU job; and Slurm replaces the reason of a node whose slurmd still has the old count.
   */
  @Test
  void aCountThatSlurmctldRestoredIsNotJudgedBeforeTheNodeRegisters() {
    cluster.restoresCounts = true;
    cluster.start("gpu1", "cpu");
    fixture.assertDone(fixture.run());
    assertTrue(
        fixture.said.toString().contains("has not registered with slurmctld"),
        fixture.said::toString);
    for (String node : cluster.nodes.keySet()) {
      fixture.assertInService(node);
    }
  }

  /** As recorded on 23.02 to 26.05, and one of another GRES. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "gres/shard count reported lower than configured (0 < 30)",
        "gres/gpumem count reported lower than configured (0 < 51539607552)",
        "gres/gpu count reported lower than configured (2 < 12)",
        "Invalid GRES Links value"
      })
  void aReasonThatSlurmctldReplacedIsStillOurs(String reason) {
    cluster.restoresCounts = true;
    cluster.lowReason = reason;
    fixture.assertDone(fixture.run());
    for (String node : cluster.nodes.keySet()) {
      fixture.assertInService(node);
    }
  }

  /** A wording that no release has yet; nothing may end well with nodes that take no job. */
  @Test
  void nodesThatTheRolloutDrainedAndDidNotResumeAreNoSuccess() {
    cluster.restoresCounts = true;
    cluster.lowReason = "another wording";
    RolloutResult ending = fixture.run();
    assertEquals(RolloutResult.Kind.LEFT, ending.kind());
    assertEquals(
        "schedgpu gres: the files are in place, but the rollout did not resume gpu[1-3]: correct"
            + " what sinfo -R shows, restart slurmd there, then: scontrol update nodename=gpu[1-3]"
            + " state=resume",
        ending.message());
    assertEquals(Phase.DONE, fixture.record().phase());
  }

  /** Somebody else drained it before, and its slurmd still has the old count. */
  @Test
  void aNodeOfOthersWithTheOldSlurmdIsNoSuccess() {
    cluster.hold("gpu1", "fan broken");
    fixture.fails.put("slurmd gpu1", "ended with exit code 255");
    RolloutResult ending = fixture.run();
    assertEquals(RolloutResult.Kind.LEFT, ending.kind());
    assertTrue(ending.message().contains("nodename=gpu1 state=resume"), ending.message());
    assertEquals("fan broken", cluster.node("gpu1").reason);
    fixture.assertInService("gpu2");
  }

  /** The way back from a rollout that stopped where slurmctld had replaced the reasons. */
  @Test
  void aRevertKeepsTheNodesOfTheRolloutBefore() {
    NodeRecord node = NodeRecord.of("gpu1", "gpu:k20m:2", "gpu:k20m:12", true);
    RolloutRecord open = fixture.record().mapNodes(n -> n.held(DrainOwner.OURS, null));
    assertEquals(DrainOwner.OURS, open.handOver(List.of(node)).get(0).hold());
    assertEquals(DrainOwner.NONE, fixture.record().handOver(List.of(node)).get(0).hold());
  }

  @Test
  void aSlurmctldThatReadOtherFilesIsStillFound() {
    cluster.restoresCounts = true;
    int[] looks = {0};
    cluster.beforeLastCheck =
        () -> {
          if (cluster.controllerStart == 2 && looks[0]++ == 0) {
            cluster.nodes.values().forEach(node -> node.controllerCount = 2);
          }
        };
    RolloutResult ending = fixture.run();
    assertEquals(RolloutResult.Kind.STOPPED, ending.kind());
    assertTrue(
        ending.message().contains("slurmctld was restarted, but has gpu:k20m:2"), ending.message());
    assertFalse(cluster.log.contains("restart slurmd gpu1"), cluster.log::toString);
  }

  @Test
  void drainedNodesNameTheRollout() {
    fixture.commands = new Commands("ctld", "slurmd %n", null, 5L, 60, 60, null);
    cluster.start("gpu1", "gres:gpu:1");
    fixture.run();
    assertEquals(RolloutFixture.REASON, cluster.node("gpu2").reason);
  }

  /** Running, suspended, completing; with and without the request for a GPU. */
  @Test
  void nothingIsChangedBeforeTheLastGpuJobHasEnded() {
    cluster.start("gpu1", "gres:gpu:1").state = "SUSPENDED";
    cluster.start("gpu2", "");
    cluster.start("gpu3", "gres:gpu:k20m:2").state = "COMPLETING";
    int[] ended = {0};
    fixture.whileWaiting =
        () -> {
          if (ended[0] < 3) {
            assertFalse(cluster.log.contains("files"), cluster.log::toString);
            cluster.jobs.get(ended[0]++).state = "ENDED";
          }
        };
    fixture.assertDone(fixture.run());
    assertEquals(3, ended[0]);
    assertTrue(
        fixture.said.toString().contains("waiting for 3 GPU jobs: 1 alice SUSPENDED on gpu1, "),
        fixture.said::toString);
  }

  @Test
  void jobsWithoutGpusGoOn() {
    FakeCluster.Job job = cluster.start("gpu1", "cpu");
    fixture.assertDone(fixture.run());
    assertEquals("RUNNING", job.state);
  }

  @Test
  void limitForJobsLeavesTheRolloutOpen() {
    fixture.commands = new Commands("ctld", "slurmd %n", null, 90L, 60, 60, null);
    cluster.start("gpu2", "gres:gpu:1");
    RolloutResult ending = fixture.run();
    assertEquals(RolloutResult.Kind.JOBS_REMAIN, ending.kind());
    assertEquals(
        "schedgpu gres: after 1 min 30 s there are still 1 GPU job: 1 alice RUNNING on gpu2:"
            + " repeat with --continue, or --abort",
        ending.message());
    assertTrue(cluster.node("gpu1").drained);
    assertFalse(cluster.log.contains("files"));
    fixture.endJobs();
    fixture.assertDone(fixture.run());
  }

  @Test
  void nodeOfAnotherUserStaysAsItIs() {
    cluster.hold("gpu1", "fan broken");
    cluster.node("gpu3").down = true;
    cluster.node("gpu3").reason = "Not responding";
    fixture.assertDone(fixture.run());
    assertEquals("fan broken", cluster.node("gpu1").reason);
    assertTrue(cluster.node("gpu1").drained);
    assertFalse(cluster.log.contains("drain gpu3"));
    assertTrue(fixture.record("gpu1").note().contains("fan broken"), fixture.said::toString);
    assertTrue(fixture.record("gpu3").note().contains("DOWN"), fixture.said::toString);
    fixture.assertInService("gpu2");
  }

  @Test
  void nodeThatSomebodyTookOverIsNotResumed() {
    cluster.start("gpu1", "gres:gpu:1");
    fixture.whileWaiting =
        () -> {
          cluster.hold("gpu2", "fan broken");
          fixture.endJobs();
        };
    fixture.assertDone(fixture.run());
    assertEquals("fan broken", cluster.node("gpu2").reason);
    fixture.assertInService("gpu1");
  }

  @Test
  void nodeWithTheSameCountIsNotDrained() {
    RolloutRecord record =
        RolloutRecord.begin(
            RolloutFixture.ID,
            RolloutRecord.Way.APPLY,
            null,
            List.of(),
            fixture.commands,
            List.of(NodeRecord.of("gpu1", "gpu:k20m:2", "gpu:k20m:2", false)));
    ClusterSnapshot snapshot = ClusterSnapshot.at(cluster, cluster);
    assertTrue(Decision.next(record, snapshot, Attempts.nothing()) instanceof Step.ChangeFiles);
  }

  @Test
  void filesGoToTheNodesBeforeTheRestart() {
    fixture.commands = new Commands("ctld", "slurmd %n", "copy %n", null, 60, 60, null);
    fixture.fails.put("copy gpu2", "ended with exit code 23\nno route");
    RolloutResult ending = fixture.run();
    assertEquals(
        "schedgpu gres: --distribute for gpu2 ended with exit code 23: correct that and repeat with"
            + " --continue\nno route",
        ending.message());
    assertFalse(cluster.log.contains("restart slurmctld"));
    fixture.fails.clear();
    fixture.assertDone(fixture.run());
  }

  /** A user who restarts by hand gets a message, and the rollout continues after the restart. */
  @Test
  void withoutCommandsTheAdministratorRestarts() {
    fixture.commands = new Commands(null, null, null, null, 60, 60, null);
    int[] waitTimer = {0};
    fixture.whileWaiting =
        () -> {
          waitTimer[0]++;
          if (waitTimer[0] == 1000) {
            cluster.restartController();
          } else if (waitTimer[0] == 2000) {
            cluster.nodes.keySet().forEach(cluster::restartSlurmd);
          }
        };
    fixture.assertDone(fixture.run());
    String said = fixture.said.toString();
    assertTrue(said.contains("restart slurmctld, such as: systemctl restart slurmctld\n"), said);
    assertTrue(said.contains("systemctl restart slurmd, on: gpu1 gpu2 gpu3\n"), said);
  }
}
