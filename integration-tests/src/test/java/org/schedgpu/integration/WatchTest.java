package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;

/** {@code schedgpu watch} while it runs, and programs of no Slurm job. */
final class WatchTest extends UncaughtTestCase {
  @Test
  void theWatchChargesAndClearsByItself() throws Exception {
    Path end = cluster.barrier("end");
    cluster.srun(SMALL, "show").orThrow(); // makes the region
    Process watch = start(words(cluster.runDir(), "watch", "--every", "100ms"));
    try (BufferedReader changes = watch.inputReader()) {
      long job = startUncaught(end);
      assertTrue(
          changes.readLine().startsWith("slurm:%d: charged with ".formatted(job)),
          cluster::situation);
      cluster.open(end);
      assertEquals(JobState.COMPLETED, cluster.end(job));
      assertEquals(0, cluster.status().at("/devices/0/usedBytes").asLong());
      watch.destroy();
      assertEquals(143, watch.waitFor());
    } finally {
      watch.destroyForcibly();
    }
  }

  /** The region may appear later, or disappear and return, because a prolog makes it. */
  @Test
  void theWatchSaysOnceThatThereIsNoRegionAndGoesOn() throws Exception {
    Path runDir = cluster.sharedMemory().resolve("later");
    Process watch = start(words(runDir, "watch", "--every", "100ms"));
    Path end = cluster.barrier("end");
    Path started = cluster.barrier("started");
    Process program = null;
    try (BufferedReader changes = watch.inputReader();
        BufferedReader problems = watch.errorReader()) {
      assertTrue(problems.readLine().startsWith("schedgpu: cannot open " + runDir), "problem");
      program = start(cluster.gpuUserWords("alloc", 700, "touch", started, "until", end));
      cluster.await(started);
      cluster.slurm().run(setup(runDir), environment(), null).orThrow();
      assertEquals(
          "device 0: charged with 716 MiB that programs of no job use: %d gpu-user"
              .formatted(program.pid()),
          changes.readLine());
      Files.createFile(end);
      assertEquals("device 0: no longer in use by programs of no job", changes.readLine());
      watch.toHandle().destroy(); // which, unlike Process.destroy(), leaves its streams open
      assertNull(problems.readLine());
    } finally {
      watch.destroyForcibly();
      if (program != null) {
        program.destroyForcibly();
      }
    }
  }

  private List<String> setup(Path runDir) {
    return words(
        runDir,
        "setup",
        "--devices-file",
        cluster.installation().devicesConf().toString(),
        "--node",
        cluster.node());
  }

  @Test
  void aProgramOfNoJobIsForeignAndChargedToTheDevice() throws Exception {
    Path started = cluster.barrier("started");
    Path end = cluster.barrier("end");
    Process program = start(cluster.gpuUserWords("alloc", 700, "touch", started, "until", end));
    try {
      cluster.await(started);
      cluster.srun(SMALL, "show").orThrow(); // makes the region
      assertEquals(
          "device 0: charged with 716 MiB that programs of no job use: %d gpu-user\n"
              .formatted(program.pid()),
          watchOnce());
      long neighbour = cluster.sbatch(LARGE, "alloc", 800);
      cluster.awaitOutput(neighbour, "schedgpu: waiting for");
      assertTrue(cluster.status().at("/devices/0/heldBy/0/job").isNull());
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
        words(
            cluster.runDir(),
            "run",
            "--conf",
            cluster.installation().schedgpuConf().toString(),
            "--mem",
            "100M");
    words.addAll(List.of("--", "env", "-u", "LD_PRELOAD"));
    words.addAll(cluster.gpuUserWords("alloc", 700, "touch", started, "until", end));
    Process run = start(words);
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
