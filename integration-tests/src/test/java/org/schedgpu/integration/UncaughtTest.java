package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;

/**
 * A program that the preload library does not see: it is started without LD_PRELOAD, which is what
 * happens to a static one. It takes 716 MiB of a device of 1200, its context included.
 */
final class UncaughtTest extends ClusterTest {
  private static final List<String> SMALL = List.of("--gres=gpu:1", "--schedgpu-mem=100M");
  private static final List<String> LARGE = List.of("--gres=gpu:1", "--schedgpu-mem=800M");
  private static final long SEEN = 716L << 20;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  private String uncaught(Object... actions) {
    return "env -u LD_PRELOAD " + cluster.gpuUser(actions);
  }

  /** The command on the node, which sees the devices as jobs do. */
  private CommandResult schedgpu(String command, String... options) {
    List<String> words = new ArrayList<>(List.of(Build.command().toString(), command));
    words.addAll(List.of("--run-dir", cluster.runDir().toString()));
    words.addAll(List.of(options));
    return cluster.slurm().run(words, cluster.jobEnvironment(), null);
  }

  private JsonNode deviceOf(long job) {
    JsonNode status = Json.parse(schedgpu("status", "--json").orThrow().stdout());
    for (JsonNode entry : status.get("jobs")) {
      if (entry.get("id").asLong() == job) {
        return entry.at("/devices/0");
      }
    }
    return Json.MISSING;
  }

  private String watchOnce() {
    return schedgpu("watch", "--once").orThrow().stdout();
  }

  private long startUncaught(Path end) {
    Path started = cluster.barrier("started");
    long job =
        cluster.sbatch(
            cluster.slurm().commands(),
            SMALL,
            uncaught("alloc", 700, "touch", started, "until", end));
    cluster.await(started);
    return job;
  }

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

  /** What this is good for: see what becomes of the neighbour without it. */
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
        cluster.status().at("/waiters/0/behind/0/job").asText(),
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

  /** Nothing but Slurm's cgroup says which job the program is of. */
  @Test
  void aProgramWithAnEmptyEnvironmentIsFoundByItsCgroup() {
    String cgroups = cluster.slurm().srun("cat", "/proc/self/cgroup").orThrow().stdout();
    assumeTrue(cgroups.contains("/job_"), () -> "Slurm uses no cgroups here: " + cgroups);
    Path started = cluster.barrier("started");
    Path end = cluster.barrier("end");
    String emulator =
        cluster.jobEnvironment().entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(" "));
    long job =
        cluster.sbatch(
            cluster.slurm().commands(),
            SMALL,
            "env -i %s %s"
                .formatted(
                    emulator, cluster.gpuUser("alloc", 700, "touch", started, "until", end)));
    cluster.await(started);
    assertEquals(SEEN, deviceOf(job).get("unreservedBytes").asLong());
    cluster.open(end);
    cluster.end(job);
  }

  @Test
  void aProgramOfNoJobIsForeignAndChargedToTheDevice() throws Exception {
    Path started = cluster.barrier("started");
    Path end = cluster.barrier("end");
    ProcessBuilder builder =
        new ProcessBuilder(cluster.gpuUserWords("alloc", 700, "touch", started, "until", end));
    builder.environment().putAll(cluster.jobEnvironment());
    Process program = builder.start();
    try {
      cluster.await(started);
      cluster.srun(SMALL, "show").orThrow(); // makes the region
      assertEquals(
          "device 0: charged with 716 MiB that programs of no job use: %d gpu-user\n"
              .formatted(program.pid()),
          watchOnce());
      long neighbour = cluster.sbatch(LARGE, "alloc", 800);
      cluster.awaitOutput(neighbour, "schedgpu: waiting for");
      assertTrue(cluster.status().at("/waiters/0/behind/0/job").isNull());
      Files.createFile(end);
      assertEquals(0, program.waitFor());
      assertEquals("device 0: no longer in use by programs of no job\n", watchOnce());
      assertEquals(JobState.COMPLETED, cluster.end(neighbour), () -> cluster.output(neighbour));
    } finally {
      program.destroyForcibly();
    }
  }

  @Test
  void underSchedgpuRunItIsTheSame() throws Exception {
    cluster.srun(SMALL, "show").orThrow(); // makes the region
    Path started = cluster.barrier("started");
    Path end = cluster.barrier("end");
    List<String> words =
        new ArrayList<>(
            List.of(Build.command().toString(), "run", "--run-dir", cluster.runDir().toString()));
    words.addAll(
        List.of("--conf", cluster.installation().schedgpuConf().toString(), "--mem", "100M"));
    words.addAll(List.of("--", "env", "-u", "LD_PRELOAD"));
    words.addAll(cluster.gpuUserWords("alloc", 700, "touch", started, "until", end));
    ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
    builder.environment().putAll(cluster.jobEnvironment());
    Process run = builder.start();
    try {
      cluster.await(started);
      String charged = watchOnce();
      assertTrue(
          charged.startsWith(
              "run:%d: charged with 716 MiB of device 0 beyond what it holds: "
                  .formatted(run.pid())),
          charged);
      long neighbour = cluster.sbatch(LARGE, "alloc", 800);
      cluster.awaitOutput(neighbour, "schedgpu: waiting for");
      Files.createFile(end);
      assertEquals(0, run.waitFor());
      assertEquals(JobState.COMPLETED, cluster.end(neighbour), () -> cluster.output(neighbour));
    } finally {
      run.destroyForcibly();
    }
  }
}
