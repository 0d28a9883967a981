package org.schedgpu.minicluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The behaviour of a running cluster; all tests share one. */
final class MiniClusterTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String PREFIX = MiniCluster.freshNodePrefix();
  private static final String NODE1 = PREFIX + 1;
  private static final String NODE2 = PREFIX + 2;
  private static MiniCluster cluster;

  @BeforeAll
  static void start() {
    TestClusters.assumeSlurm();
    cluster =
        TestClusters.shared(PREFIX)
            .jobEnvironment(Map.of("EMULATED_GPU_STATE", "/dev/shm/nowhere"))
            .start();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @AfterEach
  void cancelAll() {
    String ids = cluster.squeue("-h", "-o", "%A").stdout();
    ids.lines().forEach(id -> cluster.commands().scancel(id));
    cluster.awaitJobs(ids.lines().map(Long::valueOf).toList(), LIMIT);
  }

  @Test
  void nodesAreIdleWithAllShares() {
    List.of(NODE1, NODE2).forEach(cluster::awaitIdle);
    String nodes = cluster.commands().sinfo("-h", "-N", "-o", "%N %T %G").orThrow().stdout();

    assertEquals("%s idle gpu:fake:6%n%s idle gpu:fake:6%n".formatted(NODE1, NODE2), nodes);
  }

  @Test
  void stepKnowsItsVirtualGpu() {
    String environment = cluster.srun("--gres=gpu:1", "env").orThrow().stdout();

    assertTrue(environment.lines().anyMatch(line -> line.equals("SLURM_STEP_GPUS=0")), environment);
  }

  @Test
  void batchJobHasOutputStateAndFields() {
    long id = cluster.sbatch("--gres=gpu:1", "--wrap", "echo share $SLURM_JOB_GPUS; exit 3");

    assertEquals(Map.of(id, JobState.FAILED), cluster.awaitJobs(List.of(id), LIMIT));
    assertEquals("share 0\n", cluster.jobOutput(id));
    assertEquals(JobState.FAILED, cluster.jobState(id));
    assertEquals("3:0", cluster.jobField(id, "ExitCode"));
  }

  @Test
  void outputOfAWaitingJobIsEmpty() {
    assertEquals("", cluster.jobOutput(cluster.sbatch("--hold", "--wrap", "echo never")));
  }

  @Test
  void twelveJobsShareTheDevices() {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      ids.add(
          cluster.sbatch(
              "--gres=gpu:1", "--wrap", "echo $SLURMD_NODENAME $SLURM_JOB_GPUS; sleep 1000"));
    }
    assertTrue(
        Waiting.until(
            LIMIT, () -> ids.stream().allMatch(id -> cluster.jobState(id) == JobState.RUNNING)));

    Map<Long, String> places = new HashMap<>();
    assertTrue(
        Waiting.until(
            LIMIT,
            () -> {
              ids.forEach(id -> places.put(id, cluster.jobOutput(id)));
              return !places.containsValue("");
            }));
    assertEquals(12, new HashSet<>(places.values()).size(), places.toString());
  }

  @Test
  void arrayIsOneJobToWaitFor() {
    long id = cluster.sbatch("--array=0-2", "--wrap", "[ $SLURM_ARRAY_TASK_ID != 1 ]");

    assertEquals(JobState.FAILED, cluster.awaitJobs(List.of(id), LIMIT).get(id));
  }

  @Test
  void jobOpensOnlyItsDevice() {
    assumeTrue(cluster.constrainsDevices(), "this host's cgroups cannot constrain devices");
    String tryAll = "for d in 0 1; do (: < %s/nvidia$d); done".formatted(cluster.paths().devices());

    CommandResult one = cluster.srun("--gres=gpu:1", "env", "LC_ALL=C", "sh", "-c", tryAll);
    CommandResult two = cluster.srun("--gres=gpu:2", "env", "LC_ALL=C", "sh", "-c", tryAll);
    CommandResult none = cluster.srun("env", "LC_ALL=C", "sh", "-c", tryAll);

    assertEquals(List.of("allowed", "denied"), opens(one));
    assertEquals(List.of("allowed", "allowed"), opens(two));
    assertEquals(List.of("denied", "denied"), opens(none));
  }

  /** The shell's messages: no driver behind the node, or forbidden by the cgroup. */
  private static List<String> opens(CommandResult result) {
    return result
        .stderr()
        .lines()
        .filter(line -> line.contains("/nvidia"))
        .map(
            line ->
                line.contains("No such device or address")
                    ? "allowed"
                    : line.contains("Operation not permitted") ? "denied" : line)
        .toList();
  }

  @Test
  void ordinaryUserRunsJobs() {
    try (TestUser user = TestUsers.ensure("sgminicluster")) {
      SlurmCommands asUser = cluster.as(user.name());
      long id = asUser.sbatch("--wrap", "id -un; echo $HOME");

      assertEquals(JobState.COMPLETED, cluster.awaitJobs(List.of(id), LIMIT).get(id));
      assertEquals(user.name() + "\n" + cluster.paths().jobs() + "\n", cluster.jobOutput(id));
      assertEquals(
          user.uid() + "\n",
          cluster.run(List.of("srun", "id", "-u"), Map.of(), user.name()).orThrow().stdout());
    }
    assertFalse(CommandRunner.run("id", "sgminicluster").ok());
  }

  @Test
  void jobsGetTheJobEnvironment() {
    long id = cluster.sbatch("--wrap", "echo $EMULATED_GPU_STATE");
    cluster.awaitJobs(List.of(id), LIMIT);

    assertEquals("/dev/shm/nowhere\n", cluster.jobOutput(id));
    assertEquals(
        "/dev/shm/other\n",
        cluster
            .commands()
            .with(Map.of("EMULATED_GPU_STATE", "/dev/shm/other"))
            .srun("printenv", "EMULATED_GPU_STATE")
            .stdout());
  }

  @Test
  void killedNodeComesBack() {
    cluster.killNode(NODE2);
    assertTrue(RunningSlurmds.find(NODE2).isEmpty());
    assertTrue(RunningSlurmds.find(NODE1).isPresent());

    cluster.restartNode(NODE2);

    assertTrue(RunningSlurmds.find(NODE2).isPresent());
    assertEquals(
        NODE2 + "\n", cluster.srun("-w", NODE2, "printenv", "SLURMD_NODENAME").orThrow().stdout());
  }

  @Test
  void restartedControllerKnowsItsJobs() {
    long id = cluster.sbatch("--wrap", "sleep 1000");
    assertTrue(Waiting.until(LIMIT, () -> cluster.jobState(id) == JobState.RUNNING));

    cluster.restartController();
    cluster.reconfigure();

    assertEquals(JobState.RUNNING, cluster.jobState(id));
    cluster.commands().scancel(Long.toString(id));
    assertEquals(JobState.CANCELLED, cluster.awaitJobs(List.of(id), LIMIT).get(id));
  }

  @Test
  void overdueCommandIsKilledAndNamed() {
    String message = "";
    // On a busy host the echo may come later, so the limit is generous.
    for (int ms = 100; ms <= 100_000 && !message.contains("here"); ms *= 10) {
      SlurmCommands hasty = cluster.commands().within(Duration.ofMillis(ms));
      message =
          assertThrows(
                  MiniClusterException.class,
                  () -> hasty.run("sh", "-c", "printf '%s%s' he re; sleep 1000"))
              .getMessage();
    }

    assertTrue(message.contains("was killed; it had written:\nhere"), message);
  }

  @Test
  void overdueJobIsExplained() {
    long id = cluster.sbatch("--hold", "--wrap", "true");

    MiniClusterException e =
        assertThrows(
            MiniClusterException.class,
            () -> cluster.awaitJobs(List.of(id), Duration.ofMillis(100)));

    assertTrue(e.getMessage().contains(id + " PENDING (JobHeldUser)"), e.getMessage());
  }

  @Test
  void unknownNamesAreRefused() {
    assertThrows(MiniClusterException.class, () -> cluster.jobState(999_999));
    assertThrows(
        MiniClusterException.class, () -> cluster.sbatch("--gres=nothing", "--wrap", "id"));
    assertThrows(IllegalArgumentException.class, () -> cluster.killNode("nowhere"));
    assertThrows(IllegalArgumentException.class, () -> cluster.awaitIdle("nowhere"));
    assertThrows(MiniClusterException.class, () -> cluster.as("nobody-of-that-name"));
  }
}
