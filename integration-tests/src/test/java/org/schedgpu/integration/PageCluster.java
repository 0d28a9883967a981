package org.schedgpu.integration;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.NodeSpec;

/**
 * A real cluster of three nodes, {@code gpu1} to {@code gpu3} on a page, that gives a GPU to one
 * job. It runs the commands of pages that change that. What is replaced: the folder /etc/slurm and
 * the names of the nodes are the cluster's, the device files are in its folder, ssh runs the
 * command here, and the daemons are restarted in place of systemd's. All nodes are on one host and
 * share one region.
 */
final class PageCluster implements AutoCloseable {
  static final int CPUS = 12;
  private static final int NODES = 3;
  private static final int MEMORY_MIB = 4000;

  private final Path sharedMemory;
  private final MiniClusterBuilder builder = MiniCluster.builder();
  private final Installation installation = new Installation(builder.paths());
  private MiniCluster slurm;
  private List<String> nodes;
  private Path folder;

  private PageCluster() throws IOException {
    sharedMemory = Files.createTempDirectory(Path.of("/dev/shm"), "schedgpu-page-");
  }

  /** With as many devices as this, and with schedGPU's hooks and plugin if it has them. */
  static PageCluster start(ClusterSetup setup) throws IOException {
    List<String> missing = SchedGpuCluster.missing(setup);
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    PageCluster page = new PageCluster();
    try {
      page.startSlurm(setup);
      return page;
    } catch (IOException | RuntimeException e) {
      page.close();
      throw e;
    }
  }

  private void startSlurm(ClusterSetup setup) throws IOException {
    Path devices = builder.paths().devices();
    Map<String, String> environment =
        new HashMap<>(EmulatedDevices.environment(setup, sharedMemory.resolve("gpus")));
    environment.put("LD_LIBRARY_PATH", installation.folder().toString());
    environment.put("EMULATED_GPU_DEV_DIR", devices.toString());
    List<NodeSpec> specs =
        NodeSpec.numbered(
            MiniCluster.freshNodePrefix(), NODES, CPUS, MEMORY_MIB, "gpu:k20m:" + setup.devices);
    nodes = specs.stream().map(NodeSpec::name).toList();
    builder
        .nodes(specs)
        .fakeDevices(setup.devices)
        .jobEnvironment(environment)
        .gresConf(
            "# One job a GPU.\nName=gpu Type=k20m File=%s/nvidia%s\n"
                .formatted(devices, setup.devices == 1 ? "0" : "[0-" + (setup.devices - 1) + "]"));
    List<String> lines = new ArrayList<>(setup.slurmConf);
    if (setup.hooks) {
      lines.addAll(List.of("Prolog=" + installation.prolog(), "Epilog=" + installation.epilog()));
    }
    builder.slurmConf(lines.toArray(new String[0]));
    if (setup.accounting) {
      builder.accounting();
    }
    if (setup.rest) {
      builder.rest();
    }
    if (setup.plugin) {
      builder.plugstackConf(installation.plugstackLine());
    }
    slurm = builder.build();
    installation.copyBinaries();
    if (setup.plugin) {
      Files.writeString(
          conf(),
          "RunDir=%s\nPreloadLibrary=%s\nHistoryFile=%s\n"
              .formatted(
                  runDir(), installation.preloadLibrary(), sharedMemory.resolve("history.db")));
    }
    slurm.start();
    folder = Files.createTempDirectory(slurm.paths().files(), "page");
    commands();
  }

  /** The page's words that are replaced here. */
  private void commands() throws IOException {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Path restart = slurm.restartScript();
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
            .formatted(slurm.paths().devices(), restart));
  }

  MiniCluster slurm() {
    return slurm;
  }

  List<String> nodes() {
    return nodes;
  }

  Path runDir() {
    return sharedMemory.resolve("run");
  }

  /** schedgpu.conf. */
  Path conf() {
    return installation.schedgpuConf();
  }

  /** Where commands run. */
  Path folder() {
    return folder;
  }

  /** An output, with the names of the page. */
  String asOnThePage(String output) {
    String prefix = nodes.get(0).substring(0, nodes.get(0).length() - 1);
    return output
        .replace(prefix, "gpu")
        .replace(slurm.paths().etc().toString(), "/etc/slurm")
        .replace(slurm.paths().devices().toString(), "/dev");
  }

  /** Runs a command of the page. */
  CommandResult run(String command) {
    String words = command.replace("/etc/slurm", slurm.paths().etc().toString());
    for (int i = 0; i < NODES; i++) {
      words = words.replace("gpu" + (i + 1), nodes.get(i));
    }
    String script = "cd %s\nexport PATH=%s/bin:$PATH\n%s".formatted(folder, folder, words);
    return slurm.run(List.of("bash", "-c", script), Map.of(), null);
  }

  @Override
  public void close() {
    try {
      if (slurm != null) {
        slurm.close();
      }
    } finally {
      EmulatedDevices.remove(sharedMemory);
    }
  }
}
