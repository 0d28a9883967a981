package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;

/** Programs of Slurm jobs that the preload library does not see. */
final class UncaughtTest extends UncaughtTestCase {
  /** Fits beside what an uncaught program takes, and not beside a budget of 800 MiB. */
  private static final List<String> MEDIUM = List.of("--gres=gpu:1", "--schedgpu-mem=420M");

  @Test
  void itsMemoryIsShownWithTheProgramThatUsesIt() {
    Path end = cluster.barrier("end");
    long job = startUncaught(end);
    JsonNode device = deviceOf(job);
    assertEquals(0, device.get("reservedBytes").asLong(), device::toPrettyString);
    assertEquals(SEEN, device.get("seenBytes").asLong(), device::toPrettyString);
    assertEquals(SEEN, device.get("unreservedBytes").asLong(), device::toPrettyString);
    assertEquals("gpu-user", device.at("/gpuProcesses/0/name").asText());
    int pid = device.at("/gpuProcesses/0/pid").asInt();
    String status = schedgpu("status").orThrow().stdout();
    assertTrue(
        status.contains(
            "   unreserved 716 MiB of device 0 (not charged): %d gpu-user\n".formatted(pid)),
        status);
    String doctor = schedgpu("doctor").stdout();
    assertTrue(
        doctor.contains(
            "slurm:%d uses 716 MiB of device 0 that it did not reserve; %d gpu-user: libschedgpu-preload.so is not loaded into it"
                .formatted(job, pid)),
        doctor);
    cluster.open(end);
    cluster.end(job);
  }

  /** The reason for this feature: what happens to the neighbour without it. */
  @Test
  void aNeighbourFailsWithoutTheChargeAndWaitsWithIt() {
    Path end = cluster.barrier("end");
    long job = startUncaught(end);
    String granted = cluster.srun(LARGE, "try", 800).orThrow().stdout();
    assertEquals(List.of(2), Seen.numbers(granted, "tried"), "out of memory");

    String charged = watchOnce();
    assertTrue(
        charged.startsWith(
            "slurm:%d: charged with 716 MiB of device 0 beyond what it holds: ".formatted(job)),
        charged);
    assertEquals("", watchOnce(), "nothing has changed");
    assertEquals(SEEN, deviceOf(job).get("overrunBytes").asLong());

    long neighbour = cluster.sbatch(LARGE, "alloc", 800);
    cluster.awaitOutput(neighbour, "schedgpu: waiting for");
    assertEquals(
        "slurm:" + job,
        cluster.status().at("/devices/0/heldBy/0/job").asText(),
        cluster::situation);
    cluster.open(end);
    assertEquals(JobState.COMPLETED, cluster.end(neighbour), () -> cluster.output(neighbour));
    assertEquals(JobState.COMPLETED, cluster.end(job));
    assertEquals(0, cluster.status().at("/devices/0/usedBytes").asLong());
  }

  @Test
  void whenTheProgramEndsBeforeItsJobTheNextLookGivesItsMemoryToTheNeighbour() {
    Path end = cluster.barrier("end");
    Path ended = cluster.barrier("ended");
    Path started = cluster.barrier("started");
    long job =
        cluster.sbatch(
            cluster.slurm().commands(),
            SMALL,
            uncaught("alloc", 700, "touch", started, "until", end)
                + "; touch %s; sleep 1000".formatted(ended));
    cluster.await(started);
    watchOnce();
    long neighbour = cluster.sbatch(LARGE, "alloc", 800);
    cluster.awaitOutput(neighbour, "schedgpu: waiting for");
    cluster.open(end);
    cluster.await(ended);

    assertEquals(
        "slurm:%d: no longer charged beyond what it holds of device 0\n".formatted(job),
        watchOnce());
    assertEquals(JobState.COMPLETED, cluster.end(neighbour), () -> cluster.output(neighbour));
  }

  /** Only Slurm's cgroup shows the job of the program. */
  @Test
  void aProgramWithAnEmptyEnvironmentIsFoundByItsCgroup() {
    String cgroups = cluster.slurm().srun("cat", "/proc/self/cgroup").orThrow().stdout();
    assumeTrue(cgroups.contains("/job_"), () -> "Slurm uses no cgroups here: " + cgroups);
    Path end = cluster.barrier("end");
    long job = startWithEmptyEnvironment(SMALL, end);
    assertEquals(SEEN, deviceOf(job).get("unreservedBytes").asLong());
    cluster.open(end);
    cluster.end(job);
  }

  private long startWithEmptyEnvironment(List<String> options, Path end) {
    Path started = cluster.barrier("started");
    String emulator =
        environment().entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(" "));
    long job =
        cluster.sbatch(
            cluster.slurm().commands(),
            options,
            "env -i %s %s"
                .formatted(
                    emulator, cluster.gpuUser("alloc", 700, "touch", started, "until", end)));
    cluster.await(started);
    return job;
  }

  /** It takes less than the budget of its job, which holds nothing, because nobody asked. */
  @Test
  void whoRunsUnscheduledIsNamedWhileItRunsAndToldWhenItsStepEnds() throws Exception {
    String cgroups = cluster.slurm().srun("cat", "/proc/self/cgroup").orThrow().stdout();
    assumeTrue(cgroups.contains("/job_"), () -> "Slurm uses no cgroups here: " + cgroups);
    cluster.configure("OverrunEvery=100ms", "EndHint=no");
    NodeAgent agent = NodeAgent.start(cluster, environment());
    try {
      Path end = cluster.barrier("end");
      long job = startWithEmptyEnvironment(LARGE, end);
      long attached = cluster.sbatch(SMALL, "alloc", 10);
      agent.await("unscheduled job=slurm:%d step=batch pid=".formatted(job));
      String jobs = schedgpu("jobs").orThrow().stdout();
      assertTrue(jobs.contains("slurm:%d runs unscheduled: ".formatted(job)), jobs);
      String top = schedgpu("top", "--once").orThrow().stdout();
      assertTrue(top.contains(" gpu-user, up to 716 MiB of device 0"), top);
      cluster.open(end);
      assertEquals(JobState.COMPLETED, cluster.end(job));
      assertEquals(
          1,
          lines(cluster.output(job), " gpu-user (pid ", " ran unscheduled, with up to 716 MiB of "),
          () -> cluster.output(job));
      assertEquals(JobState.COMPLETED, cluster.end(attached));
      assertEquals(0, lines(cluster.output(attached), "unscheduled", ""));
      agent.await("end job=slurm:" + job);
      agent.reload();
      Eventually.that(
          "no file of the job",
          () -> !Files.exists(cluster.runDir().resolve("unscheduled/slurm-" + job + ".batch")),
          agent::log);
    } finally {
      agent.end();
      cluster.configureAsAtStart();
    }
  }

  /** The neighbour asks for what the program has not taken yet. */
  @Test
  void theSiteMayKeepTheWholeBudgetOrEndTheProgram() throws Exception {
    String cgroups = cluster.slurm().srun("cat", "/proc/self/cgroup").orThrow().stdout();
    assumeTrue(cgroups.contains("/job_"), () -> "Slurm uses no cgroups here: " + cgroups);
    cluster.configure("OverrunEvery=100ms", "EndHint=no", "Unscheduled=gate");
    NodeAgent agent = NodeAgent.start(cluster, environment());
    try {
      long job = startWithEmptyEnvironment(LARGE, cluster.barrier("never"));
      agent.await("overrun slurm:%d: charged with 800 MiB of device 0".formatted(job));
      long neighbour = cluster.sbatch(MEDIUM, "alloc", 400);
      cluster.awaitOutput(neighbour, "schedgpu: waiting for");

      cluster.configure("OverrunEvery=100ms", "EndHint=no", "Unscheduled=refuse");
      agent.reload();
      agent.await("end signal=TERM job=slurm:" + job);
      assertNotEquals(JobState.COMPLETED, cluster.end(job));
      assertEquals(1, lines(cluster.output(job), " ran unscheduled"), () -> cluster.output(job));
      assertEquals(JobState.COMPLETED, cluster.end(neighbour), () -> cluster.output(neighbour));
    } finally {
      agent.end();
      cluster.configureAsAtStart();
    }
  }

  private static long lines(String output, String... parts) {
    return output.lines().filter(line -> Arrays.stream(parts).allMatch(line::contains)).count();
  }
}
