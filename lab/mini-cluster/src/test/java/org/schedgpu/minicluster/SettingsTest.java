package org.schedgpu.minicluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that need no Slurm: settings, their checks and the text of slurm.conf. */
final class SettingsTest {
  private static final ClusterPaths PATHS = new ClusterPaths(Path.of("/base"));

  private static String slurmConf(boolean constrain, String... lines) {
    return slurmConf(true, constrain, lines);
  }

  private static String slurmConf(boolean nodeLines, boolean constrain, String... lines) {
    return slurmConf(nodeLines, constrain, false, lines);
  }

  private static String slurmConf(
      boolean nodeLines, boolean constrain, boolean accounting, String... lines) {
    ClusterSettings settings =
        new ClusterSettings(
            PATHS,
            NodeSpec.numbered("a", 2, 12, 4000, "gpu:fake:6"),
            nodeLines,
            "",
            "",
            List.of(lines),
            List.of(),
            constrain,
            Map.of(),
            false,
            false,
            accounting,
            false);
    return SlurmConf.text(settings, "host", 100, 103, List.of(101, 102));
  }

  @Test
  void everyNodeHasItsPort() {
    assertTrue(
        slurmConf(true)
            .contains(
                "NodeName=a2 NodeHostname=host NodeAddr=127.0.0.1 Port=102 CPUs=12"
                    + " RealMemory=4000 Gres=gpu:fake:6 State=UNKNOWN\n"));
  }

  @Test
  void accountingIsOfTheClustersOwnSlurmdbd() {
    assertFalse(slurmConf(true).contains("AccountingStorage"));
    String text = slurmConf(true, true, true);
    assertTrue(text.contains("\nAccountingStoragePort=103\n"), text);
    assertTrue(text.contains("\nAccountingStorageTRES=gres/gpu\n"), text);
    assertTrue(SlurmConf.slurmdbd(PATHS, 103).contains("\nDbdPort=103\n"));
  }

  @Test
  void socketsAreSaidWhereTheyMatter() {
    NodeSpec node = new NodeSpec("a", 4, 1000, "", 2);

    assertEquals(
        "NodeName=a NodeHostname=host NodeAddr=127.0.0.1 Port=7 CPUs=4 RealMemory=1000 Sockets=2"
            + " CoresPerSocket=2 ThreadsPerCore=1 State=UNKNOWN",
        SlurmConf.node(node, "host", 7));
    assertThrows(IllegalArgumentException.class, () -> new NodeSpec("a", 4, 1000, "", 3));
  }

  @Test
  void nodesOfTheCallersLinesHaveNoneOfOurs() {
    String text = slurmConf(false, true, "NodeName=a[1-2] CPUs=3");

    assertEquals(1, text.lines().filter(line -> line.startsWith("NodeName=")).count(), text);
  }

  @Test
  void callersLineReplacesTheDefault() {
    String text = slurmConf(true, "killwait=7", "TaskProlog=/x");

    assertTrue(text.contains("killwait=7\n") && text.contains("TaskProlog=/x\n"), text);
    assertFalse(text.contains("KillWait=2"), text);
  }

  @Test
  void callersPartitionReplacesOurs() {
    String text = slurmConf(true, "PartitionName=gpus Nodes=ALL Default=YES");

    assertFalse(text.contains("PartitionName=debug"), text);
    assertTrue(slurmConf(true).contains("PartitionName=debug"), text);
  }

  @Test
  void cgroupsAreUsedOnlyToConstrain() {
    assertTrue(slurmConf(true).contains("TaskPlugin=task/cgroup"));
    assertFalse(slurmConf(false).contains("cgroup"));
  }

  @Test
  void badNodesAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new NodeSpec("a b", 1, 1, ""));
    assertThrows(IllegalArgumentException.class, () -> new NodeSpec("a", 0, 1, ""));
    assertThrows(IllegalArgumentException.class, () -> new NodeSpec("a", 1, 0, ""));
  }

  @Test
  void tooLongFolderIsRefused() {
    TestClusters.assumeSlurm();
    Path folder = Path.of("/tmp/" + "x".repeat(80));

    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> MiniCluster.builder().baseDirectory(folder).build());

    assertTrue(e.getMessage().contains("too long for UNIX sockets"), e.getMessage());
    assertFalse(Files.exists(folder));
  }

  @Test
  void nothingOfAnotherSlurmIsInherited() {
    Map<String, String> environment = new HashMap<>();
    environment.put("SLURM_JOB_ID", "1");
    environment.put("SBATCH_PARTITION", "other");
    environment.put("HOME", "/home");

    Environments.prepare(environment, Map.of("SLURM_CONF", "/base/etc/slurm.conf"));

    assertEquals("/base/etc/slurm.conf", environment.get("SLURM_CONF"));
    assertTrue(environment.get("PATH").contains("/usr/sbin"));
    assertEquals(3, environment.size());
  }

  @Test
  void portsAndNamesAreGivenOnce() {
    List<Integer> one = FreePorts.take(3);
    List<Integer> two = FreePorts.take(3);

    assertFalse(one.stream().anyMatch(two::contains));
    assertNotEquals(MiniCluster.freshNodePrefix(), MiniCluster.freshNodePrefix());
    FreePorts.giveBack(one);
    FreePorts.giveBack(two);
  }

  @Test
  void userNamesAreChecked() {
    assertThrows(IllegalArgumentException.class, () -> TestUsers.ensure("-x; rm"));
  }
}
