package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;

/** A node whose region cannot be used: the site's choice applies, and a message says so. */
final class NodeFailureTest extends ClusterTest {
  private static final List<String> BUDGET = List.of("--gres=gpu:1", "--schedgpu-mem=300M");

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  @AfterEach
  void repair() {
    cluster.configureAsAtStart();
    if (cluster.slurm().nodeState(cluster.node()).startsWith("drain")) {
      cluster.slurm().scontrol("update", "nodename=" + cluster.node(), "state=resume").orThrow();
    }
  }

  /** A folder that not even root can make: its parent is a file. */
  private Path impossibleRunDir;

  @BeforeAll
  void makeFile() throws IOException {
    Path file = Files.createFile(cluster.sharedMemory().resolve("file"));
    impossibleRunDir = file.resolve("run");
  }

  /** A RunDir with the region of another version of schedGPU. */
  private String foreignRunDir() throws IOException {
    cluster.srun(BUDGET, "show").orThrow();
    awaitIdle(); // that job's epilog must not see the new RunDir
    Path other = Files.createDirectories(cluster.sharedMemory().resolve("other"));
    String region = Files.readString(cluster.runDir().resolve("region"));
    Files.writeString(
        other.resolve("region"),
        region.replaceFirst("schedgpu region [0-9]+", "schedgpu region 99"));
    return "RunDir=" + other;
  }

  private void assertRunsUnscheduled(String... reasons) {
    CommandResult result = cluster.srun(BUDGET, "show", "info");

    Seen seen = Seen.in(result.orThrow().stdout());
    assertEquals("", seen.variable("SCHEDGPU_JOB"));
    assertEquals("", seen.variable("LD_PRELOAD"));
    assertEquals(cluster.uuids().subList(0, 1), seen.devices());
    assertEquals(List.of(1200), Seen.numbers(result.stdout(), "totalMiB"));
    assertContains(result.stderr(), "warning: the job runs without GPU memory scheduling");
    assertContains(result.stderr(), reasons);
    awaitIdle();
  }

  private void assertRefused(String... reasons) {
    CommandResult result = cluster.srun(BUDGET, "show");

    assertTrue(result.exitCode() != 0);
    assertEquals("", result.stdout());
    assertContains(result.stderr(), "the job cannot run");
    assertContains(result.stderr(), reasons);
  }

  private static void assertContains(String text, String... parts) {
    for (String part : parts) {
      assertTrue(text.contains(part), () -> "'" + part + "' is not in: " + text);
    }
  }

  private void awaitIdle() {
    cluster.slurm().awaitIdle(cluster.node());
  }

  @Test
  void withoutARunDirJobsRunUnscheduled() {
    cluster.configure("RunDir=" + impossibleRunDir);

    assertRunsUnscheduled("the region in " + impossibleRunDir);
  }

  @Test
  void withoutARunDirJobsAreRefusedIfTheSiteSaysSo() {
    cluster.configure("RunDir=" + impossibleRunDir, "OnFailure=refuse");

    assertRefused("the region in " + impossibleRunDir);
    awaitIdle();
  }

  @Test
  void refusedBatchJobsFailAndSayWhy() {
    cluster.configure("RunDir=" + impossibleRunDir, "OnFailure=refuse");

    long job = cluster.sbatch(BUDGET, "show");

    assertEquals(JobState.FAILED, cluster.end(job));
    assertContains(cluster.output(job), "the job cannot run", "the region in " + impossibleRunDir);
    awaitIdle();
  }

  @Test
  void regionOfAnotherVersionIsNotUsed() throws IOException {
    cluster.configure(foreignRunDir());

    assertRunsUnscheduled("the region was made by another version of schedgpu");
  }

  @Test
  void regionOfAnotherVersionRefusesIfTheSiteSaysSo() throws IOException {
    cluster.configure(foreignRunDir(), "OnFailure=refuse");

    assertRefused("the region was made by another version of schedgpu");
  }

  @Test
  void brokenConfigurationIsNamedWithItsLine() {
    cluster.configure("Polcy=fifo");

    assertRunsUnscheduled("schedgpu.conf:1", "unknown key 'Polcy': did you mean Policy?");
  }

  @Test
  void missingPreloadLibraryIsNamed() throws IOException {
    Path library = cluster.installation().preloadLibrary();
    Path aside = library.resolveSibling("aside.so");
    Files.move(library, aside);
    try {
      assertRunsUnscheduled("PreloadLibrary=" + library);
    } finally {
      Files.move(aside, library);
    }
  }

  @Test
  void virtualGpuThatDevicesConfLacksIsNamed() throws IOException {
    Path file = cluster.installation().devicesConf();
    String whole = Files.readString(file);
    Files.writeString(file, whole.replace("Virtual=0-11", "Virtual=1-11"));
    try {
      CommandResult result = cluster.srun(BUDGET, "show");
      assertContains(
          result.orThrow().stderr(), "the virtual GPUs 0 are not all in", "schedgpu gres");
    } finally {
      Files.writeString(file, whole);
    }
  }

  @Test
  void failedHooksDrainTheNodeIfTheSiteSaysSo() {
    cluster.configure("RunDir=" + impossibleRunDir, "OnHookFailure=drain");

    cluster.sbatch(BUDGET, "show");

    Eventually.that(
        "the node drains",
        () -> cluster.slurm().nodeState(cluster.node()).startsWith("drain"),
        cluster::situation);
  }

  @Test
  void aJobsOwnMistakeNeverDrainsTheNode() {
    cluster.configure("OnHookFailure=drain");

    CommandResult result = cluster.srun(List.of("--gres=gpu:1", "--schedgpu-mem=2G"), "show");

    assertTrue(result.exitCode() != 0);
    awaitIdle();
  }
}
