package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.SlurmCommands;
import org.schedgpu.minicluster.TestUser;
import org.schedgpu.minicluster.TestUsers;

/** The site's limits hold for ordinary users, whatever they put into a job's environment. */
final class RootSideDecidesTest extends ClusterTest {
  private static TestUser alice;
  private static TestUser bob;

  @BeforeAll
  static void makeUsers() {
    if (SchedGpuCluster.missing(ClusterSetup.oneDevice()).isEmpty()) {
      alice = TestUsers.ensure("sgalice");
      bob = TestUsers.ensure("sgbob");
    }
  }

  @AfterAll
  static void removeUsers() {
    if (alice != null) {
      alice.close();
      bob.close();
    }
  }

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice()
        .conf("MaxPriority=normal", "HighPriorityUsers=sgbob", "MaxMem=50%");
  }

  private SlurmCommands alice() {
    return cluster.slurm().as(alice.name());
  }

  private SlurmCommands bob() {
    return cluster.slurm().as(bob.name());
  }

  /** Submits a batch job that holds 10 MiB, and waits until it does. */
  private long hold(SlurmCommands who, String prefix, String... options) {
    Path held = cluster.barrier("held");
    long job =
        cluster.sbatch(
            who,
            List.of(options),
            prefix
                + cluster.gpuUser("alloc", 10, "touch", held, "until", cluster.barrier("never")));
    cluster.await(held);
    return job;
  }

  @Test
  void highPriorityIsLoweredWithANotice() {
    long job = hold(alice(), "", "--gres=gpu:1", "--schedgpu-priority=high");

    assertEquals(50, cluster.statusOf(job).get("priority").asInt());
    assertTrue(
        cluster
            .output(job)
            .contains("--schedgpu-priority=high is above MaxPriority: lowered to 50"),
        cluster.output(job));
  }

  @Test
  void namedUsersMayGoBeyond() {
    long job = hold(bob(), "", "--gres=gpu:1", "--schedgpu-priority=high");

    assertEquals(90, cluster.statusOf(job).get("priority").asInt());
    assertEquals("", cluster.output(job));
  }

  @Test
  void aBudgetAboveMaxMemIsRefused() {
    CommandResult result =
        cluster.srun(alice(), List.of("--gres=gpu:1", "--schedgpu-mem=800M"), "info");

    assertTrue(result.exitCode() != 0);
    assertTrue(
        result
            .stderr()
            .contains(
                "--schedgpu-mem=800M is more than MaxMem=50% of this site allows on device 0"),
        result.stderr());
  }

  @Test
  void theEnvironmentInsideAJobChangesNothing() {
    long job =
        hold(
            alice(),
            "export SCHEDGPU_PRIORITY=100 SCHEDGPU_MEM=590M SCHEDGPU_WAIT=0; ",
            "--gres=gpu:1",
            "--schedgpu-mem=100M",
            "--schedgpu-priority=low");

    assertEquals(10, cluster.statusOf(job).get("priority").asInt());
    assertEquals(100L << 20, cluster.statusOf(job).at("/devices/0/budgetBytes").asLong());
  }

  @Test
  void aStepWithAnotherEnvironmentChangesNothing() {
    long job =
        hold(
            alice(),
            "export SCHEDGPU_PRIORITY=100 SCHEDGPU_MEM=590M; srun --overlap ",
            "--gres=gpu:1",
            "--schedgpu-mem=100M",
            "--schedgpu-priority=low");

    assertEquals(10, cluster.statusOf(job).get("priority").asInt());
    assertEquals(100L << 20, cluster.statusOf(job).at("/devices/0/budgetBytes").asLong());
  }

  @Test
  void whatThePluginLeftInTheEnvironmentIsNotBelieved() {
    SlurmCommands forging =
        alice()
            .with(Map.of("SPANK_SCHEDGPU_PRIORITY", "100", "SLURM_SPANK_SCHEDGPU_PRIORITY", "100"));

    long job = hold(forging, "", "--gres=gpu:1", "--schedgpu-mem=100M");

    assertEquals(50, cluster.statusOf(job).get("priority").asInt());
  }

  /**
   * Slurm's own variable for the GPUs of a job; in a step without GPUs Slurm keeps the user's
   * value.
   */
  private static final Map<String, String> FORGED_GPUS = Map.of("SLURM_JOB_GPUS", "0");

  private static final String SAY_JOB = "echo job=${SCHEDGPU_JOB:-none}";

  @Test
  void aStepWithoutGpusReservesNothing() {
    CommandResult result =
        alice()
            .with(FORGED_GPUS)
            .run("srun", "-N1", "--schedgpu-mem=50%", "--schedgpu-mode=gate", "sh", "-c", SAY_JOB);

    assertEquals("job=none\n", result.stdout(), result.stderr());
  }

  @Test
  void aScriptWithoutGpusReservesNothing() {
    long job =
        cluster.sbatch(
            alice().with(FORGED_GPUS),
            List.of("-N1", "--schedgpu-mem=50%", "--schedgpu-mode=gate"),
            SAY_JOB);

    cluster.end(job);
    assertEquals("job=none\n", cluster.output(job));
  }

  @Test
  void aStepWithoutGpusInAScriptWithoutReservesNothing() {
    long job =
        cluster.sbatch(
            alice(),
            List.of("-N1"),
            "SLURM_JOB_GPUS=0 srun"
                + " --schedgpu-mem=50% --schedgpu-mode=gate sh -c '"
                + SAY_JOB
                + "'");

    cluster.end(job);
    assertEquals("job=none\n", cluster.output(job));
  }

  private CommandResult schedgpu(SlurmCommands who, String... words) {
    List<String> command = new ArrayList<>(List.of(Build.command().toString()));
    command.addAll(List.of(words));
    command.addAll(List.of("--conf", cluster.installation().schedgpuConf().toString()));
    return who.run(command);
  }

  @Test
  void rootAloneReapsAndChangesThePolicy() {
    hold(alice(), "", "--gres=gpu:1", "--schedgpu-mem=100M");
    String policy = schedgpu(alice(), "policy").orThrow().stdout();

    CommandResult reap = schedgpu(alice(), "reap");
    CommandResult change = schedgpu(alice(), "policy", "rbdm");

    assertEquals(1, reap.exitCode(), reap.stdout());
    assertTrue(
        reap.stderr().contains("only root, whose region it is, reaps by hand"), reap.stderr());
    assertEquals(1, change.exitCode(), change.stdout());
    assertTrue(
        change.stderr().contains("only root, whose region it is, changes the policy"),
        change.stderr());
    assertEquals(policy, schedgpu(alice(), "policy").orThrow().stdout());
  }

  @Test
  void usersShareTheDevice() {
    long one = hold(alice(), "", "--gres=gpu:1", "--schedgpu-mem=500M");
    long other = hold(bob(), "", "--gres=gpu:1", "--schedgpu-mem=500M");

    assertEquals(alice.uid(), cluster.statusOf(one).get("uid").asInt());
    assertEquals(bob.uid(), cluster.statusOf(other).get("uid").asInt());
  }

  @Test
  void usersWaitForEachOther() {
    hold(alice(), "", "--gres=gpu:1", "--schedgpu-mem=600M");
    long first = hold(bob(), "", "--gres=gpu:1", "--schedgpu-mem=500M");
    long second =
        cluster.sbatch(
            bob(), List.of("--gres=gpu:1", "--schedgpu-mem=500M"), cluster.gpuUser("alloc", 400));
    cluster.awaitOutput(second, "schedgpu: waiting for 0.5 GiB");

    bob().scancel(Long.toString(first)).orThrow();

    cluster.end(second);
    assertTrue(cluster.output(second).contains("schedgpu: got 0.5 GiB"), cluster.output(second));
  }

  @Test
  void nobodyJoinsTheJobOfAnother() {
    long others = hold(alice(), "", "--gres=gpu:1", "--schedgpu-mem=500M");

    CommandResult result =
        bob()
            .run(
                "srun",
                "--gres=gpu:1",
                "env",
                "SCHEDGPU_JOB=slurm:" + others,
                cluster.installation().gpuUser().toString(),
                "alloc",
                "10");

    assertTrue(result.stderr().contains("schedgpu: EUSER"), result.stderr());
    assertEquals(1, cluster.statusOf(others).get("processes").size());
    assertEquals(10L << 20, cluster.statusOf(others).at("/devices/0/inUseBytes").asLong());
  }

  @Test
  void whoMustNotRunUnscheduledGetsNoMemoryThatWay() {
    long others = hold(alice(), "", "--gres=gpu:1", "--schedgpu-mem=500M");

    CommandResult result =
        bob()
            .run(
                "srun",
                "--gres=gpu:1",
                "env",
                "SCHEDGPU_JOB=slurm:" + others,
                "SCHEDGPU_ON_FAILURE=refuse",
                cluster.installation().gpuUser().toString(),
                "alloc",
                "10");

    assertTrue(result.exitCode() != 0);
    assertTrue(result.stderr().contains("refusing device memory"), result.stderr());
  }
}
