package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The procedure, step by step, on a fake cluster. */
class RolloutTest {
  private final Bench bench = new Bench("gpu1", "gpu2", "gpu3");
  private final FakeCluster cluster = bench.cluster;

  @Test
  void orderIsDrainFilesControllerSlurmdsResume() {
    bench.assertDone(bench.run());
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
      bench.assertInService(node);
    }
  }

  /**
   * As 24.11 and 26.05 were seen to do: the old count until a slurmd registers, also of a node with
   * a job of CPUs, and the reason of a node whose slurmd still has the old one is Slurm's.
   */
  @Test
  void aCountThatSlurmctldRestoredIsNotJudgedBeforeTheNodeRegisters() {
    cluster.restoresCounts = true;
    cluster.start("gpu1", "cpu");
    bench.assertDone(bench.run());
    assertTrue(
        bench.said.toString().contains("has not registered with slurmctld"), bench.said::toString);
    for (String node : cluster.nodes.keySet()) {
      bench.assertInService(node);
    }
  }

  @Test
  void aSlurmctldThatReadOtherFilesIsStillFound() {
    cluster.restoresCounts = true;
    int[] looks = {0};
    cluster.beforeLook =
        () -> {
          if (cluster.controllerStart == 2 && looks[0]++ == 0) {
            cluster.nodes.values().forEach(node -> node.believed = 2);
          }
        };
    Ending ending = bench.run();
    assertEquals(Ending.Kind.STOPPED, ending.kind());
    assertTrue(
        ending.message().contains("slurmctld was restarted, but has gpu:k20m:2"), ending.message());
    assertFalse(cluster.log.contains("restart slurmd gpu1"), cluster.log::toString);
  }

  @Test
  void drainedNodesNameTheRollout() {
    bench.commands = new Commands("ctld", "slurmd %n", null, 5L, 60, 60, null);
    cluster.start("gpu1", "gres:gpu:1");
    bench.run();
    assertEquals(Bench.REASON, cluster.node("gpu2").reason);
  }

  /** Running, suspended, completing; with and without the request for a GPU. */
  @Test
  void nothingIsChangedBeforeTheLastGpuJobHasEnded() {
    cluster.start("gpu1", "gres:gpu:1").state = "SUSPENDED";
    cluster.start("gpu2", "");
    cluster.start("gpu3", "gres:gpu:k20m:2").state = "COMPLETING";
    int[] ended = {0};
    bench.whileWaiting =
        () -> {
          if (ended[0] < 3) {
            assertFalse(cluster.log.contains("files"), cluster.log::toString);
            cluster.jobs.get(ended[0]++).state = "ENDED";
          }
        };
    bench.assertDone(bench.run());
    assertEquals(3, ended[0]);
    assertTrue(
        bench.said.toString().contains("waiting for 3 GPU jobs: 1 alice SUSPENDED on gpu1, "),
        bench.said::toString);
  }

  @Test
  void jobsWithoutGpusGoOn() {
    FakeCluster.Job job = cluster.start("gpu1", "cpu");
    bench.assertDone(bench.run());
    assertEquals("RUNNING", job.state);
  }

  @Test
  void limitForJobsLeavesTheRolloutOpen() {
    bench.commands = new Commands("ctld", "slurmd %n", null, 90L, 60, 60, null);
    cluster.start("gpu2", "gres:gpu:1");
    Ending ending = bench.run();
    assertEquals(Ending.Kind.JOBS_REMAIN, ending.kind());
    assertEquals(
        "schedgpu gres: after 1 min 30 s there are still 1 GPU job: 1 alice RUNNING on gpu2:"
            + " repeat with --continue, or --abort",
        ending.message());
    assertTrue(cluster.node("gpu1").drained);
    assertFalse(cluster.log.contains("files"));
    bench.endJobs();
    bench.assertDone(bench.run());
  }

  @Test
  void nodeOfSomebodyElseStaysAsItIs() {
    cluster.hold("gpu1", "fan broken");
    cluster.node("gpu3").down = true;
    cluster.node("gpu3").reason = "Not responding";
    bench.assertDone(bench.run());
    assertEquals("fan broken", cluster.node("gpu1").reason);
    assertTrue(cluster.node("gpu1").drained);
    assertFalse(cluster.log.contains("drain gpu3"));
    assertTrue(bench.record("gpu1").note().contains("fan broken"), bench.said::toString);
    assertTrue(bench.record("gpu3").note().contains("DOWN"), bench.said::toString);
    bench.assertInService("gpu2");
  }

  @Test
  void nodeThatSomebodyTookOverIsNotResumed() {
    cluster.start("gpu1", "gres:gpu:1");
    bench.whileWaiting =
        () -> {
          cluster.hold("gpu2", "fan broken");
          bench.endJobs();
        };
    bench.assertDone(bench.run());
    assertEquals("fan broken", cluster.node("gpu2").reason);
    bench.assertInService("gpu1");
  }

  @Test
  void nodeWithTheSameCountIsNotDrained() {
    RolloutRecord record =
        RolloutRecord.begin(
            Bench.ID,
            RolloutRecord.Way.APPLY,
            null,
            List.of(),
            bench.commands,
            List.of(NodeRecord.of("gpu1", "gpu:k20m:2", "gpu:k20m:2", false)));
    Look look = Look.at(cluster, cluster);
    assertTrue(Decision.next(record, look, Tried.nothing()) instanceof Step.ChangeFiles);
  }

  @Test
  void filesGoToTheNodesBeforeTheRestart() {
    bench.commands = new Commands("ctld", "slurmd %n", "copy %n", null, 60, 60, null);
    bench.fails.put("copy gpu2", "ended with exit code 23\nno route");
    Ending ending = bench.run();
    assertEquals(
        "schedgpu gres: --distribute for gpu2 ended with exit code 23: mend that and repeat with"
            + " --continue\nno route",
        ending.message());
    assertFalse(cluster.log.contains("restart slurmctld"));
    bench.fails.clear();
    bench.assertDone(bench.run());
  }

  /** Whoever restarts by hand is told, and everything goes on when it was done. */
  @Test
  void withoutCommandsTheAdministratorRestarts() {
    bench.commands = new Commands(null, null, null, null, 60, 60, null);
    int[] waits = {0};
    bench.whileWaiting =
        () -> {
          waits[0]++;
          if (waits[0] == 1000) {
            cluster.restartController();
          } else if (waits[0] == 2000) {
            cluster.nodes.keySet().forEach(cluster::restartSlurmd);
          }
        };
    bench.assertDone(bench.run());
    String said = bench.said.toString();
    assertTrue(said.contains("restart slurmctld, such as: systemctl restart slurmctld\n"), said);
    assertTrue(said.contains("systemctl restart slurmd, on: gpu1 gpu2 gpu3\n"), said);
  }
}
