package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.SlurmCommands;

/**
 * {@code schedgpu agent} beside the real Slurm. With PrologFlags=Alloc a job may have no process.
 */
final class NodeAgentTest extends UncaughtTestCase {
  private static final long UNKNOWN_JOB = 999_999;

  private NodeAgent agent;
  private Map<String, String> agentEnvironment = Map.of();

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice().slurmConf("PrologFlags=Alloc");
  }

  @AfterEach
  void endAgent() throws InterruptedException {
    if (agent != null) {
      assertEquals(0, agent.end());
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
    Map<String, String> environment = new HashMap<>(environment());
    environment.putAll(agentEnvironment);
    agent = NodeAgent.start(cluster, environment);
  }

  @Test
  void aProgramThatAsksForNothingIsChargedThenWarnedOfThenEnded() throws Exception {
    startAgent("OverrunEvery=100ms", "OverrunAction=warn");
    Path end = cluster.barrier("never");
    long job = startUncaught(end);
    agent.await("begin job=slurm:%d user=root device=0 bytes=104857600".formatted(job));
    agent.await("overrun slurm:%d: charged with 716 MiB of device 0".formatted(job));
    agent.await("libschedgpu-preload.so is not loaded into it");
    assertEquals(SEEN, deviceOf(job).get("overrunBytes").asLong());

    cluster.configure("OverrunEvery=100ms", "OverrunAction=end");
    agent.reload();
    agent.await("end signal=TERM job=slurm:" + job);
    assertNotEquals(JobState.COMPLETED, cluster.end(job));
    agent.await("end job=slurm:" + job);
  }

  /** Nothing of either job is alive on the node; one is an allocation without a step. */
  @Test
  void aJobThatSlurmDoesNotKnowIsEndedAndALivingOneIsNot() throws Exception {
    commandsWith(
            Map.of(
                "SLURM_JOB_ID", Long.toString(UNKNOWN_JOB),
                "SLURM_JOB_UID", "0",
                "SLURM_JOB_GPUS", "0",
                "SPANK_SCHEDGPU_MEM", "100M"))
        .run(List.of(cluster.installation().prolog().toString()))
        .orThrow();
    assertFalse(cluster.statusOf(UNKNOWN_JOB).isMissingNode());
    startAgent("LeftJobGrace=1s", "LogLevel=debug");
    cluster.slurm().commands().run("salloc", "--no-shell", "--gres=gpu:1").orThrow();
    long idle = Long.parseLong(cluster.slurm().squeue("-h", "-o", "%A").stdout().strip());
    agent.await("left job=slurm:" + UNKNOWN_JOB + " uid=0 ended");
    agent.await(
        "left job=slurm:%d: nothing of it is alive here, Slurm says NOT_OVER".formatted(idle));
    assertFalse(cluster.statusOf(idle).isMissingNode());
    assertEquals(true, cluster.statusOf(UNKNOWN_JOB).isMissingNode());
  }

  /** Asks none at all, an agent, and one that does not answer. */
  @Test
  void aStatusIsTheSameWhoeverLooks() throws Exception {
    Path end = cluster.barrier("end");
    List<Long> jobs = startJobs(1, end);
    String alone = schedgpu("status", "--json").orThrow().stdout();
    String withAgent = alone.replace("\"agent\": false", "\"agent\": true");
    assertNotEquals(alone, withAgent);
    startAgent();
    agent.await("answers users at ");
    assertEquals(withAgent, schedgpu("status", "--json").orThrow().stdout());
    agent.signal("STOP");
    try {
      assertEquals(withAgent, schedgpu("status", "--json").orThrow().stdout());
    } finally {
      agent.signal("CONT");
    }
    endJobs(jobs, end);
  }

  /** Both happen between two checks of the agent, even if these are frequent. */
  @Test
  void aJobThatIsOverBeforeTheAgentLooksIsReported() throws Exception {
    startAgent();
    agent.await("answers users at "); // it has checked the jobs once before
    Map<String, String> job =
        Map.of("SLURM_JOB_ID", "4242", "SLURM_JOB_UID", "0", "SLURM_JOB_GPUS", "0");
    agent.signal("STOP");
    try {
      commandsWith(job).run(List.of(cluster.installation().prolog().toString())).orThrow();
      commandsWith(job).run(List.of(cluster.installation().epilog().toString())).orThrow();
    } finally {
      agent.signal("CONT");
    }
    agent.await("begin job=slurm:4242 user=root device=0 ");
    agent.await("end job=slurm:4242 user=root device=0 ");
  }

  private long device(String field) {
    return Json.parse(schedgpu("status", "--json").orThrow().stdout())
        .at("/devices/0/" + field)
        .asLong();
  }

  /** Jobs that hold and use 100 MiB and a context each. */
  private List<Long> startJobs(int count, Path end) {
    List<Path> started = new ArrayList<>();
    List<Long> jobs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(cluster.barrier("started"));
      jobs.add(cluster.sbatch(SMALL, "alloc", 100, "touch", started.get(i), "until", end));
    }
    started.forEach(cluster::await);
    return jobs;
  }

  private void endJobs(List<Long> jobs, Path end) {
    cluster.open(end);
    jobs.forEach(job -> assertEquals(JobState.COMPLETED, cluster.end(job)));
    jobs.forEach(job -> agent.await("end job=slurm:" + job));
  }

  /** devices.conf says 64 MiB for a context; the emulated one takes 16. */
  @Test
  void whatContextsTakeIsLearnedAndTheBooksAgreeWithNvml() throws Exception {
    Path devices = cluster.installation().devicesConf();
    String right = Files.readString(devices);
    String contextFile = "ContextFile=" + cluster.sharedMemory().resolve("contexts");
    try {
      Files.writeString(devices, right.replaceAll("ContextBytes=\\d+", "ContextBytes=67108864"));
      startAgent(contextFile);
      Eventually.that("the old size", () -> device("contextBytes") == 64L << 20, agent::log);
      Path end = cluster.barrier("end");
      List<Long> teachers = startJobs(3, end);
      agent.reload(); // every task is due
      agent.await(
          "driver=580.00.00 bytes=16777216: learned of 3 processes of 1 user, was not known");
      assertEquals(64L << 20, device("contextBytes")); // jobs count on it
      endJobs(teachers, end);
      agent.reload();
      Eventually.that("the learned size", () -> device("contextBytes") == 16L << 20, agent::log);

      Path last = cluster.barrier("last");
      List<Long> jobs = startJobs(2, last);
      long nvml = emulatedBytesInUse();
      assertEquals(232L << 20, nvml);
      long booked = device("usedBytes");
      assertTrue(Math.abs(booked - nvml) <= nvml / 50, () -> booked + " booked, " + nvml);
      endJobs(jobs, last);
    } finally {
      Files.writeString(devices, right);
    }
  }

  private long emulatedBytesInUse() {
    String smi =
        cluster
            .slurm()
            .run(List.of(Build.emulatorCommand().toString()), environment(), null)
            .orThrow()
            .stdout();
    Matcher memory = Pattern.compile("memory (\\d+) / ").matcher(smi);
    assertTrue(memory.find(), smi);
    return Long.parseLong(memory.group(1)) << 20;
  }

  /** With Slurm's plugin cgroup/v1 the folder that cgroup/v2 would make is made by hand. */
  @Test
  void theBudgetIsALimitOfADriverThatHasLimits() throws Exception {
    Path mount = Path.of("/sys/fs/cgroup/unified");
    assumeTrue(Files.exists(mount.resolve("cgroup.procs")), "no cgroups of version 2");
    Path limits = Files.createFile(cluster.sharedMemory().resolve("limits"));
    agentEnvironment = Map.of("EMULATED_GPU_LIMITS", limits.toString());
    startAgent();
    Path end = cluster.barrier("end");
    List<Long> jobs = startJobs(1, end);
    Path slice = Files.createDirectories(mount.resolve("system.slice"));
    Path scope = Files.createDirectories(slice.resolve("schedgpu-test_slurmstepd.scope"));
    Path group = Files.createDirectory(scope.resolve("job_" + jobs.get(0)));
    try {
      agent.await("limit job=slurm:" + jobs.get(0) + " device=0 bytes=");
      // budget and context, another context, and what is tolerated: 16 MiB and 2 %
      long held = 116L << 20;
      long bytes = held + (16L << 20) + (16L << 20) + held / 50;
      assertEquals("0 0 %d %s\n".formatted(bytes, group), Files.readString(limits));
    } finally {
      Files.delete(group);
      Files.delete(scope);
      endJobs(jobs, end);
      Files.delete(limits);
    }
  }
}
