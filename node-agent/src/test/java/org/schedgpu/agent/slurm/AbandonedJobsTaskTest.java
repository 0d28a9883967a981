package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.JobEvidence;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.SchedGpu;

/** A real region with job 42; a folder stands in for /proc, a script for squeue. */
class AbandonedJobsTaskTest {
  private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(10);

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;
  private SchedGpu region;
  private AbandonedJobsTask task;

  @BeforeEach
  void node() throws IOException {
    RealLibrary.require();
    node = new TestNode(folder);
    node.makeRegion();
    region = SchedGpu.open(node.runDir());
    begin();
    squeue("echo asked >> " + folder.resolve("asked") + "; echo COMPLETED");
    process(1, "0::/init.scope");
    Conf conf = Conf.parse(node.conf(), "LeftJobGrace=10s".getBytes(StandardCharsets.UTF_8));
    task =
        new AbandonedJobsTask(
            new RegionAccess(node.runDir(), GRACE_NS),
            () -> conf,
            new JobEvidence(new HostProcesses(folder.resolve("proc"))),
            new SlurmQueue(folder.resolve("squeue").toString()));
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (region != null) {
      region.close();
      node.close();
    }
  }

  private void begin() {
    region.jobBegin(
        new JobSpec(
            JobKind.SLURM,
            42,
            1000,
            50,
            Mode.GATE,
            1,
            false,
            JobSpec.FOREVER,
            new TreeMap<>(Map.of(0, 1L << 30)),
            "train"));
  }

  private void squeue(String script) throws IOException {
    Path squeue = Files.writeString(folder.resolve("squeue"), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(squeue, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void process(int pid, String cgroup) throws IOException {
    Path process = Files.createDirectories(folder.resolve("proc").resolve("" + pid));
    Files.writeString(process.resolve("status"), "Name:\tsleep\nUid:\t1000\nPPid:\t1\n");
    Files.writeString(process.resolve("cgroup"), cgroup + "\n");
  }

  /**
   * Runs the task after this many grace periods; returns how many jobs are left, and how often
   * Slurm was asked.
   */
  private String look(double graces) throws IOException {
    task.run((long) (graces * GRACE_NS));
    Path asked = folder.resolve("asked");
    return "%d jobs, asked %d times"
        .formatted(
            region.snapshot().jobs().size(),
            Files.exists(asked) ? Files.readAllLines(asked).size() : 0);
  }

  @Test
  void aJobIsEndedAfterTheGraceIfSlurmSaysThatItIsOver() throws IOException {
    assertEquals("1 jobs, asked 0 times", look(0));
    assertEquals("1 jobs, asked 0 times", look(0.9));
    assertEquals("0 jobs, asked 1 times", look(1));
  }

  @Test
  void whileAProcessOfItLivesSlurmIsNotEvenAsked() throws IOException {
    process(500, "0::/system.slice/slurmstepd.scope/job_42/step_0");
    look(0);
    assertEquals("1 jobs, asked 0 times", look(5));
    Files.delete(folder.resolve("proc/500/status"));
    assertEquals("1 jobs, asked 0 times", look(6));
    assertEquals("0 jobs, asked 1 times", look(7));
  }

  @Test
  void withoutAnAnswerItStaysAndIsAskedForOnceInAGrace() throws IOException {
    squeue("echo asked >> " + folder.resolve("asked") + "; exit 1");
    look(0);
    assertEquals("1 jobs, asked 1 times", look(1));
    assertEquals("1 jobs, asked 1 times", look(1.9));
    assertEquals("1 jobs, asked 2 times", look(2));
  }

  private Path sluid(String sluid, int job) throws IOException {
    Path links = Files.createDirectories(node.runDir().resolve("sluid"));
    return Files.createSymbolicLink(links.resolve(sluid), Path.of("" + job));
  }

  private static boolean isThere(Path link) {
    return Files.exists(link, LinkOption.NOFOLLOW_LINKS);
  }

  @Test
  void whatIsRecordedOfAJobThatIsEndedGoesWithIt() throws IOException {
    Path left = sluid("s7HC1W9R9G3Y00", 42);
    Path other = sluid("s7HC1W9R9G3Y01", 43);
    look(0);
    assertTrue(isThere(left));
    assertEquals("0 jobs, asked 2 times", look(1)); // once of each
    assertFalse(isThere(left));
    assertFalse(isThere(other));
  }

  @Test
  void whatIsRecordedOfAJobThatNobodyRegisteredGoesWhenSlurmSaysThatItIsOver() throws IOException {
    region.jobEnd(JobKind.SLURM, 42);
    Path left = sluid("s7HC1W9R9G3Y00", 42);
    squeue("echo RUNNING");
    look(0);
    look(1);
    assertTrue(isThere(left));
    squeue("echo COMPLETED");
    look(1.9);
    assertTrue(isThere(left));
    look(2);
    assertFalse(isThere(left));
  }

  /** Slurm is asked about an earlier job, and meanwhile the prolog records the SLUID again. */
  @Test
  void whatIsRecordedMeanwhileStays() throws IOException {
    region.jobEnd(JobKind.SLURM, 42);
    Path left = sluid("s7HC1W9R9G3Y00", 42);
    look(0);
    squeue("ln -s 42 %s.new; mv -T %s.new %s; echo COMPLETED".formatted(left, left, left));
    look(1);
    assertTrue(isThere(left));
  }

  @Test
  void whatIsRecordedOfARegisteredJobStays() throws IOException {
    process(500, "0::/system.slice/slurmstepd.scope/job_42/step_0");
    Path kept = sluid("s7HC1W9R9G3Y00", 42);
    look(0);
    assertEquals("1 jobs, asked 0 times", look(5));
    assertTrue(isThere(kept));
  }

  @Test
  void aNewJobOfTheSameNumberHasItsOwnGrace() throws IOException {
    look(0);
    region.jobEnd(JobKind.SLURM, 42);
    begin();
    assertEquals("1 jobs, asked 0 times", look(1));
    assertEquals("0 jobs, asked 1 times", look(2));
  }

  /** Slurm is asked, and meanwhile the prolog of a new job with that number runs. */
  @Test
  void aJobThatBeganWhileSlurmWasAskedStays() throws IOException {
    look(0);
    Path go = folder.resolve("go");
    squeue("touch " + go + "; while [ -e " + go + " ]; do sleep 0.01; done; echo COMPLETED");
    CompletableFuture<Void> prolog =
        CompletableFuture.runAsync(
            () -> {
              try {
                TestNode.await("Slurm is asked", () -> Files.exists(go));
                region.jobEnd(JobKind.SLURM, 42);
                begin();
                Files.delete(go);
              } catch (Exception problem) {
                throw new IllegalStateException(problem);
              }
            });
    assertEquals("1 jobs, asked 0 times", look(1));
    prolog.join();
  }

  @Test
  void whereProcessesAreHiddenNothingIsEnded() throws IOException {
    Files.delete(folder.resolve("proc/1/status"));
    Files.delete(folder.resolve("proc/1/cgroup"));
    Files.delete(folder.resolve("proc/1"));
    look(0);
    assertEquals("1 jobs, asked 0 times", look(5));
  }
}
