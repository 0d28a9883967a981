package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.NodeSpec;
import org.schedgpu.minicluster.Requirements;

/**
 * The page "From one job per GPU to twelve, and back", command by command, on a real cluster of
 * three nodes that gives a GPU to one job. What is replaced: the folder /etc/slurm and the names of
 * the nodes are the cluster's, the device files are in its folder, ssh runs the command here, and
 * the daemons are restarted in place of systemd's.
 */
final class ShareGpusPageTest {
  private static final int NODES = 3;
  private static final int CPUS = 12;
  private static final int MEMORY_MIB = 4000;

  private final ClusterSetup setup = ClusterSetup.oneDevice();
  private MiniCluster cluster;
  private List<String> nodes;
  private Path sharedMemory;
  private Path folder;

  @BeforeEach
  void startCluster() throws IOException {
    List<String> missing = Requirements.missing();
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    sharedMemory = Files.createTempDirectory(Path.of("/dev/shm"), "schedgpu-page-");
    MiniClusterBuilder builder = MiniCluster.builder();
    Installation installation = new Installation(builder.paths());
    List<NodeSpec> specs =
        NodeSpec.numbered(MiniCluster.freshNodePrefix(), NODES, CPUS, MEMORY_MIB, "gpu:k20m:1");
    nodes = specs.stream().map(NodeSpec::name).toList();
    Path devices = builder.paths().devices();
    Map<String, String> environment =
        new HashMap<>(EmulatedDevices.environment(setup, sharedMemory.resolve("gpus")));
    environment.put("LD_LIBRARY_PATH", installation.folder().toString());
    environment.put("EMULATED_GPU_DEV_DIR", devices.toString());
    cluster =
        builder
            .nodes(specs)
            .fakeDevices(setup.devices)
            .jobEnvironment(environment)
            .gresConf("# One job a GPU.\nName=gpu Type=k20m File=%s/nvidia0\n".formatted(devices))
            .build();
    installation.copyBinaries();
    cluster.start();
    folder = Files.createTempDirectory(cluster.paths().files(), "page");
    commands();
  }

  @AfterEach
  void closeCluster() {
    if (cluster != null) {
      cluster.close();
    }
    EmulatedDevices.remove(sharedMemory);
  }

  /** The page's words that are replaced here. */
  private void commands() throws IOException {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Path restart = cluster.restartScript();
    Page.script(bin.resolve("schedgpu"), "exec %s \"$@\"".formatted(Build.command()));
    Page.script(bin.resolve("systemctl"), "exec %s \"$2\"".formatted(restart));
    Page.script(
        bin.resolve("ssh"),
        """
        case "$2 $3 $4" in
          "schedgpu gres facts") exec schedgpu gres facts --node "$1" --device-dir %s;;
          "systemctl restart slurmd") exec %s "$1";;
        esac
        echo "ssh of this test cannot: $*" >&2; exit 1"""
            .formatted(cluster.paths().devices(), restart));
  }

  private String asOnThePage(String output) {
    String prefix = nodes.get(0).substring(0, nodes.get(0).length() - 1);
    return output
        .replace(prefix, "gpu")
        .replace(cluster.paths().etc().toString(), "/etc/slurm")
        .replace(cluster.paths().devices().toString(), "/dev");
  }

  private CommandResult run(String command) {
    String words = command.replace("/etc/slurm", cluster.paths().etc().toString());
    for (int i = 0; i < NODES; i++) {
      words = words.replace("gpu" + (i + 1), nodes.get(i));
    }
    String script = "cd %s\nexport PATH=%s/bin:$PATH\n%s".formatted(folder, folder, words);
    return cluster.run(List.of("bash", "-c", script), Map.of(), null).orThrow();
  }

  private Map<String, Optional<String>> configuration() throws IOException {
    Map<String, Optional<String>> texts = new HashMap<>();
    for (String name : List.of("slurm.conf", "gres.conf", "devices.conf")) {
      Path file = cluster.paths().etc().resolve(name);
      texts.put(name, Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty());
    }
    return texts;
  }

  private boolean accepts(String node, int gpus) {
    return cluster.srun("-w", node, "--gres=gpu:" + gpus, "true").ok();
  }

  private String shown(String node) {
    return cluster.scontrol("show", "node", node).stdout();
  }

  private void requireGpus(int gpus) {
    for (String node : nodes) {
      cluster.awaitIdle(node);
      assertTrue(accepts(node, gpus), () -> shown(node));
      assertFalse(accepts(node, gpus + 1), () -> shown(node));
    }
  }

  @Test
  void everyCommandWorksAndTheWayBackIsExact() throws IOException {
    Map<String, Optional<String>> before = configuration();
    requireGpus(1);
    int changes = 0;
    for (Page.Shown shown : Page.shownBy(Page.named("how-to/share-gpus.md"))) {
      String command = shown.command();
      String output = asOnThePage(run(command).stdout());
      assertTrue(shown.isIn(output), () -> "not as shown: " + command + "\n" + output);
      if (command.contains("rollout --revert")) {
        requireGpus(1);
        assertEquals(before, configuration());
      } else if (command.contains(" --yes ") || command.endsWith("state=resume")) {
        requireGpus(12);
        changes++;
      }
    }
    assertEquals(2, changes, "by rollout and by hand");
  }
}
