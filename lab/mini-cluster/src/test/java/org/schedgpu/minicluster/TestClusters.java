package org.schedgpu.minicluster;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Clusters of 2 nodes x 2 fake devices x 3 shares, and what they may leave behind. */
final class TestClusters {
  static final int DEVICES = 2;
  static final int SHARES = 3;

  private TestClusters() {}

  static void assumeSlurm() {
    List<String> missing = new ArrayList<>(Requirements.missing());
    if (missing.isEmpty()) {
      missing.addAll(Requirements.missingForFakeDevices());
    }
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
  }

  /** A builder for two nodes whose names have this prefix and end in 1 and 2. */
  static MiniClusterBuilder shared(String prefix) {
    MiniClusterBuilder builder = MiniCluster.builder();
    List<NodeSpec> nodes = NodeSpec.numbered(prefix, 2, 12, 4000, "gpu:fake:" + DEVICES * SHARES);
    return builder
        .nodes(nodes)
        .fakeDevices(DEVICES)
        .gresConf(
            nodes.stream()
                .map(node -> gresConf(node.name(), builder.paths().devices()))
                .collect(Collectors.joining()));
  }

  /** The lines of one node, with all shares of a device together. */
  private static String gresConf(String node, Path devices) {
    return IntStream.range(0, DEVICES * SHARES)
        .mapToObj(
            share ->
                "NodeName=%s Name=gpu Type=fake MultipleFiles=%s/nvidia%d,%s/nvidiactl Links=%s%n"
                    .formatted(node, devices, share / SHARES, devices, links(share)))
        .collect(Collectors.joining());
  }

  /** A job of two shares gets two devices: Slurm 24.05 reversed the meaning of Links. */
  private static String links(int share) {
    boolean turned = SlurmRelease.installed().isAtLeast(24, 5);
    return IntStream.range(0, DEVICES * SHARES)
        .mapToObj(
            other -> other == share ? "-1" : other / SHARES == share / SHARES == turned ? "1" : "0")
        .collect(Collectors.joining(","));
  }

  static List<Path> cgroupsOf(String node) {
    return Cgroups.of(node).stream().filter(Files::exists).toList();
  }

  /** A program for Prolog= or Epilog=. */
  static Path script(Path folder, String name, String body) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + body + "\n");
    CommandRunner.run("chmod", "755", file.toString()).orThrow();
    return file;
  }
}
