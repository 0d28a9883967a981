package org.schedgpu.minicluster;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes without a cluster; each stands for one that a step left behind. */
final class LeftOversTest {
  @TempDir Path base;
  private Process process;

  @AfterEach
  void end() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  private boolean isFoundWith(String variable) throws IOException {
    ClusterPaths paths = new ClusterPaths(base);
    ProcessBuilder sleep = new ProcessBuilder("sleep", "600");
    sleep.environment().put("SLURM_CONF", paths.slurmConf().toString());
    sleep.environment().put("LONG", variable);
    process = sleep.start();
    return new LeftOvers(paths, List.of()).find().contains(process.toHandle());
  }

  @Test
  void aProcessIsKnownByItsEnvironment() throws IOException {
    assertTrue(isFoundWith(""));
  }

  /** Any user of the machine can make an environment as large as the heap, and larger. */
  @Test
  void anEnvironmentThatIsTooLongIsNotRead() throws IOException {
    assertFalse(isFoundWith("x".repeat(100_000)));
  }
}
