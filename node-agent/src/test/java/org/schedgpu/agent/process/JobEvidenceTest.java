package org.schedgpu.agent.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.jna.RegionSnapshot;

/** A folder stands in for /proc. */
class JobEvidenceTest {
  private static final RegionSnapshot EMPTY =
      Snapshots.snapshot(List.of(), List.of(), List.of(), List.of(), List.of());

  @TempDir Path proc;

  @BeforeEach
  void init() throws IOException {
    process(1, "init", "/init", "", "");
  }

  private void process(int pid, String name, String title, String cgroup, String environment)
      throws IOException {
    Path folder = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    Files.writeString(folder.resolve("status"), "Name:\t" + name + "\nUid:\t0\nPPid:\t1\n");
    Files.writeString(folder.resolve("cmdline"), title.replace(' ', '\0'));
    Files.writeString(folder.resolve("cgroup"), cgroup + "\n");
    Files.writeString(folder.resolve("environ"), environment);
  }

  private Set<String> living(RegionSnapshot snapshot) {
    return new JobEvidence(new HostProcesses(proc)).living(snapshot);
  }

  @Test
  void aProcessInTheJobsCgroupIsEvidence() throws IOException {
    process(500, "sleep", "sleep 9", "0::/system.slice/slurmstepd.scope/job_42/step_0", "");
    assertEquals(Set.of("slurm:42"), living(EMPTY));
  }

  @Test
  void aProcessWithTheJobsVariableIsEvidence() throws IOException {
    process(500, "sleep", "sleep 9", "0::/", "A=b\0SCHEDGPU_JOB=slurm:42\0");
    assertEquals(Set.of("slurm:42"), living(EMPTY));
  }

  @Test
  void itsStepDaemonIsEvidenceWhereThereAreNoCgroups() throws IOException {
    process(500, "slurmstepd", "slurmstepd: [42.extern]", "0::/", "");
    process(501, "slurmstepd", "slurmstepd: [43.batch]", "0::/", "");
    process(502, "slurmd", "slurmstepd: [44.batch]", "0::/", ""); // says so, but is another program
    assertEquals(Set.of("slurm:42", "slurm:43"), living(EMPTY));
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
