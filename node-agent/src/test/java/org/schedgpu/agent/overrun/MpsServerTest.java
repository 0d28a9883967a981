package org.schedgpu.agent.overrun;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.jna.Posix;

class MpsServerTest {
  private static final String COMM = "nvidia-cuda-mps";

  @TempDir Path folder;

  private MpsServer mps;

  @BeforeEach
  void makeNode() throws IOException {
    Files.createDirectories(folder.resolve("bin"));
    Files.createFile(folder.resolve("bin/nvidia-cuda-mps-server"));
    Files.createFile(folder.resolve("nvidia-cuda-mps-server"));
    mps = new MpsServer(List.of(folder.resolve("no such"), folder.resolve("bin")));
  }

  private boolean is(String program, String name) throws IOException {
    Path process = Files.createTempDirectory(folder, "process");
    Files.createSymbolicLink(process.resolve("exe"), folder.resolve(program));
    return mps.is(process, name, 0);
  }

  @Test
  void theDriversFileIsTheServer() throws IOException {
    assertTrue(is("bin/nvidia-cuda-mps-server", COMM));
  }

  /** Its user may have chosen the name, as file or by prctl(). */
  @Test
  void anotherFileWithItsNameIsNot() throws IOException {
    assertFalse(is("nvidia-cuda-mps-server", COMM));
    assertFalse(is("bin/nvidia-cuda-mps-server", "train"));
  }

  /** Nor one that root cannot look at, as in a user's file system. */
  @Test
  void whatCannotBeReadIsNot() throws IOException {
    assumeTrue(Posix.effectiveUid() == 0, "others believe the name");
    assertFalse(is("gone", COMM));
  }
}
