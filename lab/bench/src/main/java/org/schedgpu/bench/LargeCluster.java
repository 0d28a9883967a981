package org.schedgpu.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The files of a large cluster: 16 devices per node, separate facts for each node, a slurm.conf
 * with a hundred nodes per line, one line of gres.conf for all.
 */
final class LargeCluster {
  private static final int NODES_OF_A_LINE = 100;
  private static final int DEVICES = 16;

  private final Path folder;

  private LargeCluster(Path folder) {
    this.folder = folder;
  }

  /** Writes them into an empty folder. */
  static LargeCluster make(Path folder, int nodes) throws IOException {
    LargeCluster cluster = new LargeCluster(folder);
    Files.createDirectories(cluster.facts());
    List<String> lines = new ArrayList<>(List.of("ClusterName=large", "GresTypes=gpu"));
    for (int first = 1; first <= nodes; first += NODES_OF_A_LINE) {
      int last = Math.min(nodes, first + NODES_OF_A_LINE - 1);
      lines.add(
          "NodeName=tux[%1$05d-%2$05d] NodeAddr=n[%1$05d-%2$05d] CPUs=128 Gres=gpu:a100:%3$d # rack"
              .formatted(first, last, DEVICES));
    }
    lines.add("PartitionName=gpu Nodes=ALL Default=YES");
    Files.write(cluster.slurmConf(), lines);
    Files.writeString(
        folder.resolve("gres.conf"),
        "NodeName=tux[00001-%05d] Name=gpu Type=a100 File=/dev/nvidia[0-%d]%n"
            .formatted(nodes, DEVICES - 1));
    for (int node = 1; node <= nodes; node++) {
      String name = String.format(Locale.ROOT, "tux%05d", node);
      Files.writeString(cluster.facts().resolve(name + ".json"), facts(name));
    }
    return cluster;
  }

  private static String facts(String name) {
    List<String> devices = new ArrayList<>();
    for (int i = 0; i < DEVICES; i++) {
      devices.add(
          ("{\"index\": %1$d, \"uuid\": \"GPU-%2$s-%1$d\", \"file\": \"/dev/nvidia%1$d\","
                  + " \"totalBytes\": 85899345920, \"reservedBytes\": 538968064,"
                  + " \"contextBytes\": 268435456, \"name\": \"NVIDIA A100-SXM4-80GB\"}")
              .formatted(i, name));
    }
    return "{\"nodeName\": \"%s\", \"cpus\": 128, \"devices\": [%n  %s]}%n"
        .formatted(name, String.join(",\n  ", devices));
  }

  Path facts() {
    return folder.resolve("facts");
  }

  Path slurmConf() {
    return folder.resolve("slurm.conf");
  }

  Path plan() {
    return folder.resolve("plan.json");
  }
}
