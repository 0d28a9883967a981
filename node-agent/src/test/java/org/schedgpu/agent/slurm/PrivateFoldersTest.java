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

class PrivateFoldersTest {
  private static final Path SHM = Path.of("/dev/shm/schedgpu");

  @TempDir private Path folder;

  private Optional<Finding> check(String line, Path runDir) throws IOException {
    return PrivateFolders.check(Files.writeString(folder.resolve("slurm.conf"), line), runDir);
  }

  @Test
  void aRegionInAFolderThatEachJobHasForItselfIsWrong() throws IOException {
    assertEquals(
        Optional.of(
            Finding.problem(
                "run-dir",
                "/dev/shm/schedgpu is not what jobs see there: with job_container/tmpfs each has"
                    + " its own",
                "set RunDir to a folder below /run")),
        check("JobContainerType=job_container/tmpfs\n", SHM));
    assertTrue(check("NamespaceType=namespace/linux\n", Path.of("/tmp/schedgpu")).isPresent());
  }

  @Test
  void otherFoldersAreTheHosts() throws IOException {
    assertEquals(
        Optional.empty(), check("NamespaceType=namespace/tmpfs\n", Path.of("/run/schedgpu")));
    assertEquals(
        Optional.empty(), check("NamespaceType=namespace/tmpfs\n", Path.of("/tmpfs/schedgpu")));
  }

  @Test
  void withoutSuchAPluginAnyFolderIsTheHosts() throws IOException {
    assertEquals(Optional.empty(), check("", SHM));
    assertEquals(Optional.empty(), check("JobContainerType=job_container/none\n", SHM));
    assertEquals(Optional.empty(), PrivateFolders.check(folder.resolve("none"), SHM));
  }
}
