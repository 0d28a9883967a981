package org.schedgpu.agent.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;

/** A folder stands in for /proc. */
class JobEvidenceTest {
  private static final int OWNER = 1000;
  private static final int STRANGER = 1001;
  private static final int ROOT = 0;

  /** Job 42 of {@link #OWNER}, of which the region has no client. */
  private static final RegionSnapshot ONE_JOB =
      Snapshots.snapshot(
          List.of(),
          List.of(Snapshots.job(0, JobKind.SLURM, 42, OWNER, Mode.GATE, 50, Map.of(), Map.of())),
          List.of(),
          List.of(),
          List.of());

  @TempDir Path proc;

  @BeforeEach
  void init() throws IOException {
    process(ROOT, 1, "init", "/init", "", "");
  }

  private void process(
      int uid, int pid, String name, String title, String cgroup, String environment)
      throws IOException {
    Path folder = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    Files.writeString(
        folder.resolve("status"), "Name:\t" + name + "\nUid:\t" + uid + "\nPPid:\t1\n");
    Files.writeString(folder.resolve("cmdline"), title.replace(' ', '\0'));
    Files.writeString(folder.resolve("cgroup"), cgroup + "\n");
    Files.writeString(folder.resolve("environ"), environment);
  }

  private Set<String> living(RegionSnapshot snapshot) {
    return new JobEvidence(new HostProcesses(proc)).living(snapshot);
  }

  private static final String CGROUP = "0::/system.slice/slurmstepd.scope/job_42/step_0";
  private static final String FORGED =
      "0::/user.slice/user-1001.slice/user@1001.service/slurmstepd.scope/job_42/step_0";
  private static final String VARIABLE = "A=b\0SCHEDGPU_JOB=slurm:42\0";

  @Test
  void aProcessInTheJobsCgroupIsEvidence() throws IOException {
    process(OWNER, 500, "sleep", "sleep 9", CGROUP, "");
    assertEquals(Set.of("slurm:42"), living(ONE_JOB));
  }

  @Test
  void aZombieInTheJobsCgroupIsNone() throws IOException {
    process(OWNER, 500, "sleep", "", CGROUP, VARIABLE);
    Files.writeString(
        proc.resolve("500/status"),
        "Name:\tsleep\nState:\tZ (zombie)\nUid:\t" + OWNER + "\nPPid:\t1\nThreads:\t1\n");
    assertEquals(Set.of(), living(ONE_JOB));
  }

  /** Its other threads run on. */
  @Test
  void aProcessWhoseMainThreadEndedIsEvidence() throws IOException {
    process(OWNER, 500, "train", "", CGROUP, "");
    Files.writeString(
        proc.resolve("500/status"),
        "Name:\ttrain\nState:\tZ (zombie)\nUid:\t" + OWNER + "\nPPid:\t1\nThreads:\t2\n");
    assertEquals(Set.of("slurm:42"), living(ONE_JOB));
  }

  @Test
  void rootInTheJobsCgroupIsEvidence() throws IOException {
    process(ROOT, 500, "slurmstepd", "slurmstepd: [42.0]", CGROUP, "");
    assertEquals(Set.of("slurm:42"), living(ONE_JOB));
  }

  @Test
  void aStrangersCgroupIsNone() throws IOException {
    process(STRANGER, 500, "sleep", "sleep 9", FORGED, "");
    assertEquals(Set.of(), living(ONE_JOB));
  }

  @Test
  void aProcessWithTheJobsVariableIsEvidence() throws IOException {
    process(OWNER, 500, "sleep", "sleep 9", "0::/", VARIABLE);
    assertEquals(Set.of("slurm:42"), living(ONE_JOB));
  }

  @Test
  void aStrangersVariableIsNone() throws IOException {
    process(STRANGER, 500, "sleep", "sleep 9", "0::/", VARIABLE);
    assertEquals(Set.of(), living(ONE_JOB));
  }

  /** As sudo may leave it: a process of root belongs to a job only by its cgroup. */
  @Test
  void rootsVariableIsNone() throws IOException {
    process(ROOT, 500, "sleep", "sleep 9", "0::/", VARIABLE);
    assertEquals(Set.of(), living(ONE_JOB));
  }

  @Test
  void itsStepDaemonIsEvidenceWhereThereAreNoCgroups() throws IOException {
    process(ROOT, 500, "slurmstepd", "slurmstepd: [42.extern]", "0::/", "");
    assertEquals(Set.of("slurm:42"), living(ONE_JOB));
  }

  /** Where slurmd itself runs as the only user whose jobs it can run. */
  @Test
  void itsUsersStepDaemonIsEvidenceToo() throws IOException {
    process(OWNER, 500, "slurmstepd", "slurmstepd: [42.batch]", "0::/", "");
    assertEquals(Set.of("slurm:42"), living(ONE_JOB));
  }

  @Test
  void aStrangersTitleIsNone() throws IOException {
    process(STRANGER, 500, "slurmstepd", "slurmstepd: [42.batch]", "0::/", "");
    assertEquals(Set.of(), living(ONE_JOB));
  }

  @Test
  void anotherProgramWithItsTitleIsNone() throws IOException {
    process(ROOT, 500, "slurmd", "slurmstepd: [42.batch]", "0::/", "");
    assertEquals(Set.of(), living(ONE_JOB));
  }

  @Test
  void clientsAndWaitersAreEvidence() {
    assertEquals(
        Set.of("slurm:4711", "slurm:99", "slurm:1234567890123", "run:31"),
        living(Snapshots.busy()));
  }

  @Test
  void whereProcessesAreHiddenNothingIsProven() throws IOException {
    assertTrue(new JobEvidence(new HostProcesses(proc)).isComplete());
    assertFalse(new JobEvidence(new HostProcesses(proc.resolve("1"))).isComplete());
  }
}
