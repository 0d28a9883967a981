package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;

/** However a job ends, its memory is freed, and nobody has to clean up. */
final class EpilogTest extends ClusterTest {
  private static final List<String> MOST_OF_IT = List.of("--gres=gpu:1", "--schedgpu-mem=800M");

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  private long hold(Path go, String... options) {
    Path held = cluster.barrier("held");
    List<String> all = new ArrayList<>(MOST_OF_IT);
    all.addAll(List.of(options));
    long job = cluster.sbatch(all, "alloc", 700, "touch", held, "until", go);
    cluster.await(held);
    return job;
  }

  private void assertDeviceIsFree() {
    CommandResult result = cluster.srun(MOST_OF_IT, "alloc", 700);
    assertTrue(result.ok(), result.stderr());
    assertFalse(result.stderr().contains("schedgpu: waiting"), result.stderr());
  }

  /** Runs the epilog as Slurm would for a job on virtual GPU 0. */
  private CommandResult epilog(long job) {
    return cluster
        .slurm()
        .commands()
        .with(
            Map.of(
                "SLURM_JOB_ID",
                Long.toString(job),
                "SLURM_JOB_UID",
                "0",
                "SLURM_JOB_GPUS",
                "0",
                "SLURMD_NODENAME",
                cluster.node()))
        .run(cluster.installation().epilog().toString());
  }

  @Test
  void endsTheJobOfKilledProcesses() {
    long job = hold(cluster.barrier("never"));
    cluster.slurm().commands().scancel("--full", "-s", "KILL", Long.toString(job)).orThrow();
    cluster.end(job);

    assertTrue(cluster.statusOf(job).isMissingNode());
    assertDeviceIsFree();
  }

  @Test
  void mayBeRunAgain() {
    long job = hold(cluster.barrier("never"));
    cluster.slurm().commands().scancel(Long.toString(job)).orThrow();
    cluster.end(job);

    for (int i = 0; i < 2; i++) {
      CommandResult again = epilog(job);
      assertEquals(0, again.exitCode(), again.stderr());
      assertEquals("", again.stderr());
    }
  }

  @Test
  void leavesTheOtherJobsAlone() {
    long ended = hold(cluster.barrier("never"));
    cluster.slurm().commands().scancel(Long.toString(ended)).orThrow();
    cluster.end(ended);
    long job = hold(cluster.barrier("never"));

    epilog(ended).orThrow();

    assertEquals(800L << 20, cluster.statusOf(job).at("/devices/0/reservedBytes").asLong());
  }

  @Test
  void jobOutlivesARestartOfSlurmd() {
    Path go = cluster.barrier("go");
    long job = hold(go);
    cluster.slurm().killNode(cluster.node());
    cluster.slurm().restartNode(cluster.node());
    assertFalse(cluster.statusOf(job).isMissingNode());
    cluster.open(go);

    assertEquals(JobState.COMPLETED, cluster.end(job));
    assertTrue(cluster.statusOf(job).isMissingNode());
    assertDeviceIsFree();
  }

  @Test
  void jobThatEndsWithoutASlurmdIsEndedByTheNextOne() {
    Path go = cluster.barrier("go");
    long job = hold(go);
    cluster.slurm().killNode(cluster.node());
    cluster.open(go);
    Eventually.that(
        "the job's processes end",
        () ->
            cluster.statusOf(job).get("processes").isEmpty()
                || !ProcessHandle.of(cluster.statusOf(job).at("/processes/0/pid").asLong())
                    .map(ProcessHandle::isAlive)
                    .orElse(false),
        cluster::situation);
    cluster.slurm().restartNode(cluster.node());

    cluster.end(job);
    assertTrue(cluster.statusOf(job).isMissingNode());
    assertDeviceIsFree();
  }

  @Test
  void requeuedJobBeginsAfresh() {
    Path go = cluster.barrier("go");
    long job = hold(go, "--requeue");
    cluster.slurm().scontrol("requeue", Long.toString(job)).orThrow();
    Eventually.that(
        "the job is pending",
        () -> cluster.slurm().jobState(job) == JobState.PENDING,
        cluster::situation);
    assertTrue(cluster.statusOf(job).isMissingNode());

    // Slurm delays a requeued job for two minutes, until its old credential has expired. slurmd
    // revokes credentials by the second, so it also revokes one made in the same second.
    cluster.slurm().scontrol("update", "jobid=" + job, "starttime=now+2").orThrow();
    cluster.open(go);

    assertEquals(JobState.COMPLETED, cluster.end(job));
    assertEquals("1", cluster.slurm().jobField(job, "Restarts"));
    assertEquals("", cluster.output(job));
  }

  @Test
  void tellsWhatItIsWhenRunByHand() {
    CommandResult result =
        cluster.slurm().commands().run(cluster.installation().epilog().toString());

    assertEquals(0, result.exitCode());
    assertTrue(
        result
            .stderr()
            .contains("SLURM_JOB_ID is missing or not a number: Slurm must start this program"),
        result.stderr());
  }
}
