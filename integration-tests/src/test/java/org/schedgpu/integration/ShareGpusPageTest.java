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
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The page "From one job per GPU to twelve, and back", command by command, on a real cluster. */
final class ShareGpusPageTest {
  private PageCluster cluster;

  @BeforeEach
  void startCluster() throws IOException {
    cluster = PageCluster.start(ClusterSetup.oneDevice().withoutSchedGpu());
  }

  @AfterEach
  void closeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private Map<String, Optional<String>> configuration() throws IOException {
    Map<String, Optional<String>> texts = new HashMap<>();
    for (String name : List.of("slurm.conf", "gres.conf", "devices.conf")) {
      Path file = cluster.slurm().paths().etc().resolve(name);
      texts.put(name, Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty());
    }
    return texts;
  }

  private boolean accepts(String node, int gpus) {
    return cluster.slurm().srun("-w", node, "--gres=gpu:" + gpus, "true").ok();
  }

  private String shown(String node) {
    return cluster.slurm().scontrol("show", "node", node).stdout();
  }

  private void requireGpus(int gpus) {
    for (String node : cluster.nodes()) {
      cluster.slurm().awaitIdle(node);
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
      String output = cluster.asOnThePage(cluster.run(command).orThrow().stdout());
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
