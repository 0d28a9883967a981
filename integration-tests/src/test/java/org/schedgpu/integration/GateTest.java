package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;

/** Mode gate: a job's first task starts when its budget is reserved, for any program. */
final class GateTest extends GateTestCase {
  private static final long BUDGET = 800L << 20;
  private static final long CONTEXTS_OF_FOUR = 64L << 20;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  @AfterEach
  void repair() {
    cluster.configureAsAtStart();
  }

  @Test
  void theBudgetIsReservedBeforeTheFirstTaskStarts() {
    JsonNode job = cluster.statusOf(hold());

    assertEquals("gate", job.get("mode").asText());
    assertEquals(BUDGET, job.at("/devices/0/reservedBytes").asLong());
    assertEquals(0, job.at("/devices/0/inUseBytes").asLong());
    assertTrue(job.get("processes").isEmpty(), job::toPrettyString);
  }

  @Test
  void aSecondJobWaitsIsSeenAndStartsWhenTheFirstEnds() {
    Path started = cluster.barrier("second");
    long first = hold();
    long second =
        cluster.sbatch(
            alice(), gate("--error=second.err"), cluster.staticProgram("touch", started));
    Eventually.that(
        "the notice in the job's own stderr",
        () -> cluster.read("second.err").contains("schedgpu: waiting for"),
        cluster::situation);

    assertEquals(
        "schedgpu: waiting for 0.8 GiB on device 0, 0.4 GiB free: place 1 in the queue; job %d (uid %d) holds it\n"
            .formatted(first, alice.uid()),
        cluster.read("second.err"));
    JsonNode status = cluster.status();
    JsonNode waiter = status.at("/waiters/0");
    assertEquals("slurm:" + second, waiter.get("job").asText());
    assertEquals("gate", waiter.get("for").asText());
    assertEquals(BUDGET, waiter.get("bytes").asLong());
    assertEquals("slurm:" + first, status.at("/devices/0/heldBy/0/job").asText());
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(second));
    assertFalse(Files.exists(started));

    cancel(first);
    assertEquals(JobState.COMPLETED, cluster.end(second));
    assertTrue(Files.exists(started));
    List<String> told = cluster.read("second.err").lines().toList();
    assertEquals(2, told.size(), told.toString());
    assertTrue(
        Pattern.matches("schedgpu: got 0.8 GiB on device 0 after \\d+\\.\\d s", told.get(1)),
        told.get(1));
    assertGone(second);
  }

  @Test
  void aStaticProgramRunsWithItsDeviceAndWithoutAPreload() {
    long job = cluster.sbatch(alice(), GATE, cluster.staticProgram());
    assertEquals(JobState.COMPLETED, cluster.end(job));
    assertEquals("LD_PRELOAD=none CUDA_VISIBLE_DEVICES=0\n", cluster.output(job));
  }

  @Test
  void thePreloadOfTheUserIsLeftAlone() {
    CommandResult result =
        cluster.srun(alice().with(Map.of("LD_PRELOAD", "libm.so.6")), GATE, "show", "alloc", 700);
    Seen seen = Seen.in(result.orThrow().stdout());
    assertEquals("libm.so.6", seen.variable("LD_PRELOAD"));
    assertEquals(cluster.uuids(), seen.devices());
    assertEquals("", result.stderr());
  }

  @Test
  void allTasksOfAStepRunWhenTheGateOpens() throws Exception {
    long first = hold();
    List<String> words = new ArrayList<>(List.of("srun", "--ntasks=3"));
    words.addAll(GATE);
    words.addAll(List.of("sh", "-c", "echo ran"));
    Process srun = alice().prepare(words).start();
    Eventually.that(
        "three tasks at the gate",
        () -> cluster.status().get("waiters").size() == 3,
        cluster::situation);

    cancel(first);
    String told = text(srun.getErrorStream());
    assertEquals(0, srun.waitFor(), told);
    assertEquals("ran\nran\nran\n", text(srun.getInputStream()));
    assertEquals(1, count(told, "schedgpu: waiting for"), told);
    assertEquals(1, count(told, "schedgpu: got"), told);
  }

  @Test
  void stepsFindTheGateOpen() {
    long job = cluster.sbatch(alice(), GATE, "srun --overlap echo one; srun --overlap echo two");
    assertEquals(JobState.COMPLETED, cluster.end(job));
    assertEquals("one\ntwo\n", cluster.output(job));
  }

  @Test
  void elementsOfAnArrayRunOneAfterTheOther() {
    String lock = cluster.barrier("lock").toString();
    long array =
        cluster.sbatch(
            alice(),
            gate("--array=1-3", "--output=element-%a"),
            "mkdir %s && sleep 0.1 && rmdir %s && echo alone".formatted(lock, lock));
    cluster.end(array);
    for (int i = 1; i <= 3; i++) {
      String output = "element-" + i;
      Eventually.that(
          "the end of " + output,
          () -> cluster.read(output).endsWith("alone\n"),
          () -> cluster.read(output) + cluster.situation());
    }
  }

  @Test
  void aWaitInVainFailsTheJobWithOneLine() {
    hold();
    long job = queue("echo must not run", "--schedgpu-wait=300ms");
    assertEquals(JobState.FAILED, cluster.end(job));
    String output = cluster.output(job);
    assertEquals(
        1,
        count(
            output,
            "the job cannot run: 0.8 GiB on device 0 did not become free within 0.3 s: ask for a"
                + " longer --schedgpu-wait"),
        output);
    assertEquals(2, count(output, "schedgpu: "), output);
    assertFalse(output.contains("must not run"), output);
    assertGone(job);
  }

  @Test
  void aJobThatDoesNotWaitFailsAtOnce() {
    hold();
    CommandResult result =
        cluster.srun(alice(), gate("--schedgpu-wait=0", "--ntasks=2"), "touch", "/must/not/run");
    assertTrue(result.exitCode() != 0);
    assertEquals(
        1,
        count(result.stderr(), "the job cannot run: its GPU memory is not free now"),
        "" + result);
    assertFalse(result.stderr().contains("waiting for"), result.stderr());
  }

  @Test
  void aTimeLimitEndsTheWait() {
    hold();
    long job = queue("echo must not run", "--time=1");
    LocalDateTime soon =
        LocalDateTime.now(ZoneId.systemDefault()).plusSeconds(1).truncatedTo(ChronoUnit.SECONDS);
    // Slurm refuses it if the host is so busy that the time has passed; then the minute of --time
    // counts.
    cluster.slurm().scontrol("update", "jobid=" + job, "EndTime=" + soon);
    assertEquals( // slurmctld checks time limits every 30 s
        JobState.TIMEOUT, cluster.slurm().awaitJobs(List.of(job), Duration.ofMinutes(5)).get(job));
    assertGone(job);
  }

  @Test
  void aRequeuedJobLeavesTheQueue() {
    hold();
    long job = queue("echo must not run");
    cluster.slurm().scontrol("requeue", Long.toString(job)).orThrow();
    Eventually.that(
        "the job pends again",
        () -> cluster.slurm().jobState(job) == JobState.PENDING,
        cluster::situation);
    assertGone(job);
  }

  @Test
  void withoutABudgetThereIsNoGate() {
    CommandResult result =
        cluster.srun(List.of("--gres=gpu:1", "--schedgpu-mode=gate"), "touch", "/must/not/run");
    assertTrue(result.exitCode() != 0);
    assertTrue(
        result
            .stderr()
            .contains("--schedgpu-mode=gate needs a budget: add --schedgpu-mem (this site has no"),
        result.stderr());

    cluster.configure("DefaultMem=800M");
    assertEquals(
        BUDGET,
        cluster.statusOf(holdWith("--schedgpu-mode=gate")).at("/devices/0/reservedBytes").asLong());
  }

  private long holdWith(String... options) {
    Path started = cluster.barrier("started");
    List<String> all = new ArrayList<>(List.of("--gres=gpu:1"));
    all.addAll(List.of(options));
    long job =
        cluster.sbatch(
            alice(),
            all,
            cluster.staticProgram("touch", started, "until", cluster.barrier("never")));
    cluster.await(started);
    return job;
  }

  @Test
  void theContextsOfAllDeclaredProcessesAreReserved() {
    JsonNode job =
        cluster.statusOf(
            holdWith("--schedgpu-mode=gate", "--schedgpu-mem=800M", "--schedgpu-processes=4"));
    assertEquals(4, job.get("declaredProcesses").asInt());
    assertEquals(BUDGET, job.at("/devices/0/reservedBytes").asLong());
    assertEquals(CONTEXTS_OF_FOUR, job.at("/devices/0/contextBytes").asLong());
    assertEquals(BUDGET + CONTEXTS_OF_FOUR, cluster.status().at("/devices/0/usedBytes").asLong());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1025", "many"})
  void aWrongNumberOfProcessesIsRefusedAtSubmit(String number) {
    CommandResult result =
        cluster.srun(List.of("--gres=gpu:1", "--schedgpu-processes=" + number), "show");
    assertEquals(255, result.exitCode());
    assertTrue(
        result
            .stderr()
            .contains("--schedgpu-processes=" + number + ": must be a number from 1 to 1024"),
        result.stderr());
  }

  @Test
  void theDeadlockRuleOfTheFileIsThatOfTheRegion() {
    hold();
    assertEquals("avoid", cluster.status().get("deadlockRule").asText());
    cluster.cancelAll();

    Path other = cluster.sharedMemory().resolve("detect");
    cluster.configure("RunDir=" + other, "DeadlockRule=detect");
    cluster.srun(GATE, "show").orThrow();
    assertEquals("detect", cluster.status(other).get("deadlockRule").asText());
    cluster.cancelAll(); // waits for that job's epilog, which must see the same file
  }
}
