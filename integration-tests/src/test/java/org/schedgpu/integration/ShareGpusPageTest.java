package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;

/**
 * The page "From one job per GPU to twelve, and back", command by command, on a cluster that gives
 * a GPU to one job. What is replaced: the folder /etc/slurm and the node's name are the cluster's,
 * the device files are in its folder, and its daemons are restarted in place of systemd's.
 */
final class ShareGpusPageTest extends ClusterTest {
  private static final String RESTART = "systemctl restart ";

  @Override
  ClusterSetup setup() {
    ClusterSetup setup = ClusterSetup.oneDevice().withoutSchedGpu();
    setup.shares = 1;
    return setup;
  }

  private Path etc() {
    return cluster.slurm().paths().etc();
  }

  private Map<String, String> configuration() throws IOException {
    Map<String, String> texts = new HashMap<>();
    for (String name : List.of("slurm.conf", "gres.conf", "devices.conf")) {
      texts.put(name, Files.readString(etc().resolve(name)));
    }
    return texts;
  }

  private Path workFolder() throws IOException {
    Path folder = Files.createTempDirectory(cluster.slurm().paths().files(), "page");
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Page.script(
        bin.resolve("schedgpu"),
        """
        case "$*" in "gres facts"*) set -- "$@" --node %s --device-dir %s;; esac
        exec %s "$@\""""
            .formatted(cluster.node(), cluster.slurm().paths().devices(), Build.command()));
    return folder;
  }

  private CommandResult run(Path folder, String command) {
    String words = command.replace("/etc/slurm", etc().toString()).replace("gpu1", cluster.node());
    String script = "cd %s\nexport PATH=%s/bin:$PATH\n%s".formatted(folder, folder, words);
    return cluster.slurm().run(List.of("bash", "-c", script), Map.of(), null).orThrow();
  }

  private void restart(String daemon) {
    if (daemon.equals("slurmctld")) {
      cluster.slurm().restartController();
      return;
    }
    cluster.slurm().restartNode(cluster.node());
    Eventually.that(
        "the node is registered",
        () -> node().contains("State=IDLE+DRAIN") && !node().contains("INVALID_REG"),
        cluster::situation);
  }

  private String node() {
    return cluster.slurm().scontrol("show", "node", cluster.node()).stdout();
  }

  private boolean accepts(int gpus) {
    return cluster.slurm().srun("--immediate=5", "--gres=gpu:" + gpus, "true").ok();
  }

  @Test
  void everyCommandWorksAndTheWayBackIsExact() throws IOException {
    Map<String, String> before = configuration();
    assertTrue(accepts(1) && !accepts(2), this::node);
    Path folder = workFolder();
    List<String> commands = Page.commandsOf(Page.named("how-to/share-gpus.md"));
    int resumes = 0;
    for (String command : commands) {
      if (command.startsWith(RESTART)) {
        restart(command.substring(RESTART.length()));
        continue;
      }
      CommandResult result = run(folder, command);
      if (command.endsWith("state=resume")) {
        requireGpus(resumes++ == 0 ? 12 : 1);
      }
      if (command.contains("--check")) {
        assertTrue(result.stdout().startsWith("checked: slurmd -G reads gpu:k20m:12 of node"));
      }
    }
    assertEquals(2, resumes, "there and back");
    assertEquals(before, configuration());
  }

  private void requireGpus(int gpus) {
    Eventually.that(
        "the node is idle",
        () -> cluster.slurm().nodeState(cluster.node()).equals("idle"),
        cluster::situation);
    assertTrue(accepts(gpus), this::node);
    assertFalse(accepts(gpus + 1), this::node);
  }
}
