package org.schedgpu.minicluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What remains when a JVM ends without closing its cluster. */
final class AbandonmentTest {
  @BeforeAll
  static void needsSlurm() {
    TestClusters.assumeSlurm();
  }

  @Test
  void endOfTheJvmClosesTheCluster() throws IOException, InterruptedException {
    String prefix = MiniCluster.freshNodePrefix();
    Process owner = abandon(prefix);
    ClusterPaths paths = folderOf(owner);

    owner.destroy();
    owner.waitFor();

    assertFalse(Files.exists(paths.base()));
    assertEquals(List.of(), new LeftOvers(paths, List.of()).find());
    assertEquals(List.of(), TestClusters.cgroupsOf(prefix + 1));
  }

  @Test
  void daemonsEndWithAKilledJvm() throws IOException, InterruptedException {
    String prefix = MiniCluster.freshNodePrefix();
    Process owner = abandon(prefix);
    ClusterPaths paths = folderOf(owner);
    List<ProcessHandle> daemons = owner.children().toList();
    assertEquals(4, daemons.size());

    owner.destroyForcibly().waitFor();

    boolean ended =
        Waiting.until(
            LifecycleTest.LIMIT,
            () -> Stream.of(1, 2).allMatch(i -> RunningSlurmds.find(prefix + i).isEmpty()));
    new LeftOvers(paths, List.of()).kill();
    Cgroups.remove(prefix + 1);
    Cgroups.remove(prefix + 2);
    DirectoryTrees.delete(paths.base());
    assertTrue(ended);
  }

  private static Process abandon(String prefix) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            AbandonedCluster.class.getName(),
            prefix)
        .redirectError(Redirect.INHERIT)
        .start();
  }

  private static ClusterPaths folderOf(Process owner) throws IOException {
    try (BufferedReader lines = owner.inputReader(StandardCharsets.UTF_8)) {
      String folder = lines.readLine();
      assertTrue(folder != null, "the cluster did not start");
      return new ClusterPaths(Path.of(folder));
    }
  }
}
