package org.schedgpu.agent.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Snapshots;

/** A folder stands in for /proc; the processes 100 to 103 are clients, of the jobs 0, 4, 2, 3. */
class StoppedJobsTest {
  private static final long THEIRS = 4026531836L; // as in Snapshots

  @TempDir Path proc;

  @BeforeEach
  void ourNamespace() throws IOException {
    namespace("self", THEIRS);
  }

  private void namespace(String folder, long inode) throws IOException {
    Path link = proc.resolve(folder).resolve("ns/pid");
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, Path.of("pid:[" + inode + "]"));
  }

  private void process(int pid, String state, String pids) throws IOException {
    Path folder = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    Files.writeString(
        folder.resolve("status"), "Name:\tx\nState:\t%s\nNSpid:\t%s\n".formatted(state, pids));
  }

  private Set<Integer> stopped() {
    return StoppedJobs.of(Snapshots.busy(), new HostProcesses(proc));
  }

  @Test
  void aJobIsStoppedIfItsProcessesAre() throws IOException {
    process(100, "T (stopped)", "100");
    process(101, "S (sleeping)", "101");
    process(102, "t (tracing stop)", "102");
    assertEquals(Set.of(0, 2), stopped());
  }

  @Test
  void aProcessInANamespaceOfItsOwnIsFound() throws IOException {
    Files.delete(proc.resolve("self/ns/pid"));
    namespace("self", 77);
    process(100, "T (stopped)", "100"); // another process
    process(4100, "T (stopped)", "4100 100");
    namespace("4100", THEIRS);
    process(4101, "S (sleeping)", "4101 101");
    namespace("4101", THEIRS);
    process(4102, "T (stopped)", "4102 102");
    namespace("4102", 2); // of another namespace
    assertEquals(Set.of(0), stopped());
  }

  /** As Slurm suspends jobs with proctrack/cgroup, version 1 and 2: their state is any. */
  @Test
  void aFrozenControlGroupIsStopped(@TempDir Path mount) throws IOException {
    process(100, "D (disk sleep)", "100");
    Files.writeString(proc.resolve("100/cgroup"), "7:cpu,freezer:/slurm_n/job_1\n0::/other\n");
    Files.createDirectories(mount.resolve("freezer/slurm_n/job_1"));
    Files.writeString(mount.resolve("freezer/slurm_n/job_1/freezer.state"), "FROZEN\n");
    process(101, "S (sleeping)", "101");
    Files.writeString(proc.resolve("101/cgroup"), "0::/scope/job_2\n");
    Files.createDirectories(mount.resolve("scope/job_2"));
    Files.writeString(mount.resolve("scope/job_2/cgroup.events"), "populated 1\nfrozen 1\n");
    process(102, "S (sleeping)", "102");
    Files.writeString(proc.resolve("102/cgroup"), "0::/scope/job_3\n");
    Files.createDirectories(mount.resolve("unified/scope/job_3"));
    Files.writeString(mount.resolve("unified/scope/job_3/cgroup.events"), "frozen 1\n");
    process(103, "D (disk sleep)", "103");
    Files.writeString(proc.resolve("103/cgroup"), "7:freezer:/slurm_n\n");
    Files.writeString(mount.resolve("freezer/slurm_n/freezer.state"), "THAWED\n");
    HostProcesses processes = new HostProcesses(proc, Sluids.NONE, new Freezer(mount));
    assertEquals(Set.of(0, 4, 2), StoppedJobs.of(Snapshots.busy(), processes));
  }
}
