package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.process.Sluids;

/** A folder stands in for /sys/fs/cgroup. */
class SlurmCgroupsTest {
  @TempDir Path folder;

  private SlurmCgroups mounted(String type) throws IOException {
    return new SlurmCgroups(
        Files.writeString(
            folder.resolve("mounts"),
            "proc /proc proc rw 0 0\n"
                + type
                + " "
                + folder.resolve("cgroup")
                + " "
                + type
                + " rw 0 0\n"));
  }

  private Optional<Path> folder(String type, long id) throws IOException {
    return SlurmCgroups.ofJob(mounted(type).scopes(), id, Sluids.in(folder));
  }

  private Path job(String scope, long id) throws IOException {
    return Files.createDirectories(
        folder.resolve("cgroup/system.slice").resolve(scope).resolve("job_" + id));
  }

  @Test
  void aJobHasItsFolderBelowSlurmsScope() throws IOException {
    Path seven = job("slurmstepd.scope", 7);
    job("ssh.service", 8);
    assertEquals(Optional.of(seven), folder("cgroup2", 7));
    assertEquals(Optional.empty(), folder("cgroup2", 8));
    assertEquals(Optional.empty(), folder("cgroup2", 77));
  }

  /** Slurm 26.05 and newer. */
  @Test
  void aJobHasItsFolderBySluid() throws IOException {
    Path seven =
        Files.createDirectories(folder.resolve("cgroup/system.slice/slurmstepd.scope/s7HC1W9R9G"));
    assertEquals(Optional.empty(), folder("cgroup2", 7));
    Files.createDirectory(folder.resolve("sluid"));
    Files.createSymbolicLink(folder.resolve("sluid/s7HC1W9R9G"), Path.of("7"));
    assertEquals(Optional.of(seven), folder("cgroup2", 7));
  }

  @Test
  void severalSlurmdHaveAScopeEach() throws IOException {
    job("n1_slurmstepd.scope", 7);
    Path eight = job("n2_slurmstepd.scope", 8);
    assertEquals(Optional.of(eight), folder("cgroup2", 8));
  }

  @Test
  void controlGroupsOfVersionOneHaveNoLimits() throws IOException {
    job("slurmstepd.scope", 7);
    assertEquals(Optional.empty(), folder("cgroup", 7));
  }
}
