package org.schedgpu.minicluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How clusters begin, end and fail. */
final class LifecycleTest {
  static final Duration LIMIT = Duration.ofMinutes(3);

  @BeforeAll
  static void needsSlurm() {
    TestClusters.assumeSlurm();
  }

  @Test
  void closeLeavesNothing() throws IOException {
    MiniCluster cluster = TestClusters.shared(MiniCluster.freshNodePrefix()).start();
    List<String> nodes = cluster.commands().sinfo("-h", "-N", "-o", "%N").stdout().lines().toList();
    long id =
        cluster.sbatch("--gres=gpu:1", "--wrap", "trap '' TERM; setsid sleep 1000 & sleep 1000");
    assertTrue(Waiting.until(LIMIT, () -> cluster.jobState(id) == JobState.RUNNING));
    cluster.killNode(nodes.get(0));
    LeftOvers processes =
        new LeftOvers(cluster.paths(), cluster.constrainsDevices() ? nodes : List.of());
    assertFalse(processes.find().isEmpty());

    cluster.close();
    cluster.close();

    assertEquals(List.of(), processes.find());
    assertFalse(Files.exists(cluster.paths().base()));
    for (String node : nodes) {
      assertEquals(List.of(), TestClusters.cgroupsOf(node));
    }
  }

  @Test
  void twoClustersRunSideBySide() {
    try (MiniCluster one = TestClusters.shared(MiniCluster.freshNodePrefix()).start();
        MiniCluster two = TestClusters.shared(MiniCluster.freshNodePrefix()).start()) {
      long first = one.sbatch("--gres=gpu:1", "--wrap", "echo one $SLURM_CONF");
      long second = two.sbatch("--gres=gpu:1", "--wrap", "echo two $SLURM_CONF");
      one.awaitJobs(List.of(first), LIMIT);
      two.awaitJobs(List.of(second), LIMIT);

      assertEquals("one " + one.paths().slurmConf() + "\n", one.jobOutput(first));
      assertEquals("two " + two.paths().slurmConf() + "\n", two.jobOutput(second));
    }
  }

  @Test
  void worksWithoutCgroups() {
    MiniClusterBuilder builder = TestClusters.shared(MiniCluster.freshNodePrefix());
    try (MiniCluster cluster = builder.constrainDevices(false).start()) {
      assertFalse(cluster.constrainsDevices());
      assertEquals(
          "0\n", cluster.srun("--gres=gpu:1", "printenv", "SLURM_STEP_GPUS").orThrow().stdout());
    }
  }

  @Test
  void nodeNamesAreNotSharedUnderCgroups() {
    String prefix = MiniCluster.freshNodePrefix();
    try (MiniCluster cluster = TestClusters.shared(prefix).start()) {
      assumeTrue(cluster.constrainsDevices(), "this host's cgroups cannot constrain devices");
      MiniCluster second = TestClusters.shared(prefix).build();

      MiniClusterException e = assertThrows(MiniClusterException.class, second::start);

      assertTrue(e.getMessage().contains("use other node names"), e.getMessage());
      assertFalse(Files.exists(second.paths().base()));
      assertTrue(cluster.srun("--gres=gpu:1", "true").ok());
    }
  }

  @Test
  void prologAndEpilogRun() throws IOException {
    MiniClusterBuilder builder = TestClusters.shared(MiniCluster.freshNodePrefix());
    Path log = builder.paths().files().resolve("hooks");
    Path folder = builder.paths().files();
    MiniClusterBuilder hooked =
        builder
            .prolog(folder.resolve("prolog"))
            .epilog(folder.resolve("epilog"))
            .prologFlags("Alloc");
    try (MiniCluster cluster = hooked.build()) {
      TestClusters.script(folder, "prolog", "echo prolog $SLURM_JOB_ID $SLURM_JOB_GPUS >> " + log);
      TestClusters.script(folder, "epilog", "echo epilog $SLURM_JOB_ID >> " + log);
      cluster.start();
      long id = cluster.sbatch("--gres=gpu:1", "--wrap", "true");
      cluster.awaitJobs(List.of(id), LIMIT);

      assertEquals("prolog %d 0%nepilog %d%n".formatted(id, id), Files.readString(log));
    }
  }

  @Test
  void failingPrologIsExplained() throws IOException {
    MiniClusterBuilder builder = TestClusters.shared(MiniCluster.freshNodePrefix());
    Path folder = builder.paths().files();
    try (MiniCluster cluster = builder.prolog(folder.resolve("prolog")).build()) {
      TestClusters.script(folder, "prolog", "exit 7");
      cluster.start();
      long id = cluster.sbatch("--gres=gpu:1", "--wrap", "true");
      assertTrue(Waiting.until(LIMIT, () -> cluster.logTails().contains("prolog")));
      assertTrue(
          Waiting.until(
              LIMIT, () -> cluster.commands().sinfo("-h", "-R").stdout().contains("Prolog error")));

      MiniClusterException e =
          assertThrows(
              MiniClusterException.class,
              () -> cluster.awaitJobs(List.of(id), Duration.ofMillis(100)));

      assertTrue(e.getMessage().contains("Prolog error"), e.getMessage());
    }
  }

  @Test
  void missingPrologIsNamed() {
    MiniCluster cluster =
        TestClusters.shared(MiniCluster.freshNodePrefix()).prolog(Path.of("/no/prolog")).build();

    MiniClusterException e = assertThrows(MiniClusterException.class, cluster::start);

    assertTrue(e.getMessage().contains("/no/prolog is not an executable file"), e.getMessage());
    assertFalse(Files.exists(cluster.paths().base()));
  }

  @Test
  void daemonThatEndsIsNamedWithItsLog() {
    MiniCluster cluster = MiniCluster.builder().slurmConf("NoSuchKey=1").build();

    MiniClusterException e = assertThrows(MiniClusterException.class, cluster::start);

    assertTrue(e.getMessage().contains("NoSuchKey"), e.getMessage());
    assertFalse(Files.exists(cluster.paths().base()));
  }

  @Test
  void refusedNodeIsNamedWithItsReason() {
    MiniClusterBuilder builder = TestClusters.shared(MiniCluster.freshNodePrefix()).gresConf("");

    MiniClusterException e = assertThrows(MiniClusterException.class, builder::start);

    assertTrue(e.getMessage().contains("gres/gpu count"), e.getMessage());
  }

  @Test
  void keptDirectoryStaysWithItsLogs() throws IOException {
    MiniCluster cluster = MiniCluster.builder().keepDirectory(true).start();

    cluster.close();

    assertTrue(Files.exists(cluster.paths().logs().resolve("slurmctld.log")));
    DirectoryTrees.delete(cluster.paths().base());
  }

  @Test
  void restAnswers() {
    List<String> missing = Requirements.missingForRestJwt();
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    try (MiniCluster cluster = MiniCluster.builder().rest().restJwt().start()) {
      assertTrue(Files.exists(cluster.paths().restSocket()));
      SlurmRelease slurm = SlurmRelease.installed();
      String version =
          slurm.isAtLeast(24, 11) ? "v0.0.42" : slurm.isAtLeast(23, 11) ? "v0.0.40" : "v0.0.38";
      assertEquals(
          200, RestCalls.status(cluster.restUrl() + "/slurm/" + version + "/ping", cluster));
    }
  }
}
