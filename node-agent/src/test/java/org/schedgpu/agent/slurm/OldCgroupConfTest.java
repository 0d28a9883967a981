package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.gres.common.SlurmVersion;

class OldCgroupConfTest {
  @TempDir private Path folder;

  private Optional<Finding> check(String cgroupConf, int year, int month) throws IOException {
    Files.writeString(folder.resolve("cgroup.conf"), cgroupConf);
    return OldCgroupConf.check(
        folder.resolve("slurm.conf"), () -> Optional.of(new SlurmVersion(year, month)));
  }

  @Test
  void theDroppedKeyIsReported() throws IOException {
    assertEquals(
        Optional.of(
            Finding.problem(
                "cgroup",
                folder.resolve("cgroup.conf")
                    + " has CgroupAutomount, which Slurm 24.11 does not know: slurmd logs an error"
                    + " and continues",
                "remove the line")),
        check("ConstrainDevices=yes\n cgroupautomount = yes\n", 24, 11));
    assertTrue(check("CgroupAutomount=no\n", 23, 11).isPresent());
  }

  @Test
  void olderReleasesKnowIt() throws IOException {
    assertEquals(Optional.empty(), check("CgroupAutomount=yes\n", 23, 2));
  }

  @Test
  void withoutTheKeyThereIsNothingToTell() throws IOException {
    assertEquals(Optional.empty(), check("#CgroupAutomount=yes\n", 26, 5));
    assertEquals(
        Optional.empty(), OldCgroupConf.check(folder.resolve("none/slurm.conf"), Optional::empty));
  }
}
