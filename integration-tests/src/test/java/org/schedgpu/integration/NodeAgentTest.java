package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.SlurmCommands;

/**
 * {@code schedgpu agent} beside the real Slurm. With PrologFlags=Alloc a job may have no process.
 */
final class NodeAgentTest extends UncaughtTestCase {
  private static final long UNKNOWN_JOB = 999_999;

  private Process agent;
  private Path log;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice().slurmConf("PrologFlags=Alloc");
  }

  @AfterEach
  void endAgent() throws InterruptedException {
    if (agent != null) {
      agent.destroy();
      assertEquals(0, agent.waitFor());
    }
    cluster.configureAsAtStart();
  }

  private SlurmCommands commandsWith(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(environment());
    environment.put("SLURMD_NODENAME", cluster.node());
    environment.putAll(more);
    return cluster.slurm().commands().with(environment);
  }

  private void startAgent(String... conf) throws IOException {
    cluster.configure(conf);
    log = Files.createTempFile(cluster.slurm().paths().files(), "agent", ".log");
    agent =
        commandsWith(Map.of())
            .prepare(
                List.of(
                    Build.command().toString(),
                    "agent",
                    "--config",
                    cluster.installation().schedgpuConf().toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    awaitLog("ready: process " + agent.pid());
  }

  private String read() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitLog(String text) {
    Eventually.that("'" + text + "' in the agent's log", () -> read().contains(text), this::read);
  }

  @Test
  void aProgramThatAsksForNothingIsChargedThenWarnedOfThenEnded() throws Exception {
    startAgent("OverrunEvery=100ms", "OverrunAction=warn");
    Path end = cluster.barrier("never");
    long job = startUncaught(end);
    awaitLog("begin job=slurm:%d user=root device=0 bytes=104857600".formatted(job));
    awaitLog("overrun slurm:%d: charged with 716 MiB of device 0".formatted(job));
    awaitLog("libschedgpu-preload.so is not loaded into it");
    assertEquals(SEEN, deviceOf(job).get("overrunBytes").asLong());

    cluster.configure("OverrunEvery=100ms", "OverrunAction=end");
    cluster.slurm().run(List.of("kill", "-HUP", "" + agent.pid()), Map.of(), null).orThrow();
    awaitLog("end signal=TERM job=slurm:" + job);
    assertNotEquals(JobState.COMPLETED, cluster.end(job));
    awaitLog("end job=slurm:" + job);
  }

  /** Nothing of either lives on the node; one is an allocation that nobody uses yet. */
  @Test
  void aJobThatSlurmDoesNotKnowIsEndedAndALivingOneIsNot() throws Exception {
    startAgent("LeftJobGrace=1s", "LogLevel=debug");
    commandsWith(
            Map.of(
                "SLURM_JOB_ID", Long.toString(UNKNOWN_JOB),
                "SLURM_JOB_UID", "0",
                "SLURM_JOB_GPUS", "0",
                "SPANK_SCHEDGPU_MEM", "100M"))
        .run(List.of(cluster.installation().prolog().toString()))
        .orThrow();
    assertFalse(cluster.statusOf(UNKNOWN_JOB).isMissingNode());
    cluster.slurm().commands().run("salloc", "--no-shell", "--gres=gpu:1").orThrow();
    long idle = Long.parseLong(cluster.slurm().squeue("-h", "-o", "%A").stdout().strip());
    awaitLog("left job=slurm:" + UNKNOWN_JOB + " uid=0 ended");
    awaitLog("left job=slurm:%d: nothing of it lives here, Slurm says NOT_OVER".formatted(idle));
    assertFalse(cluster.statusOf(idle).isMissingNode());
    assertEquals(true, cluster.statusOf(UNKNOWN_JOB).isMissingNode());
  }
}
