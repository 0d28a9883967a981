package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.NodeSpec;
import org.schedgpu.minicluster.Requirements;

/** How a real slurmctld and slurmd read changed files. */
class SiteOnSlurmTest {
  private static final String PREFIX = MiniCluster.freshNodePrefix();
  private static final String SITE =
      """
      NodeName=DEFAULT Gres=gpu:2,gpumem:9 Weight=7
      NodeName=a[01-04] NodeHostname=h[1-4] NodeAddr=127.0.0.1 Port=[7001-7004] CPUs=8 Feature=x # r
      NodeName=b[1-2]-ib[0-1] NodeAddr=127.0.0.1 Port=7011-7014 \\
          CPUs=4
      PartitionName=p Nodes=ALL TRESBillingWeights="CPU=1.0,Mem=0.25G"
      PartitionName=q Nodes=a[01-04] TRESBillingWeights=CPU=12,Mem=3G
      """;
  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    List<String> missing = Requirements.missing();
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    var builder = MiniCluster.builder().nodes(NodeSpec.numbered(PREFIX, 1, 2, 1000, ""));
    Path hooks = builder.paths().etc().resolve("prolog.d");
    cluster =
        builder
            .slurmConf("GresTypes=gpu,gpumem", "Prolog=" + hooks + "/*", "Include nodes/site.conf")
            .build();
    Files.createDirectories(hooks);
    for (String name : List.of("10-site", "50-schedgpu")) {
      Path script =
          Files.writeString(
              hooks.resolve(name),
              "#!/bin/sh\necho \"$0\" >> %s/ran\n".formatted(hooks.getParent()));
      Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.createDirectories(site().getParent());
    Files.writeString(site(), "# nodes without a slurmd come later\n");
    cluster.start();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static Path site() {
    return cluster.paths().etc().resolve("nodes/site.conf");
  }

  /** scontrol's line of each, without fields that change by themselves when nodes register. */
  private static Map<String, String> records(String what, String key) {
    Map<String, String> records = new TreeMap<>();
    for (String line : cluster.scontrol("show", what, "-o").orThrow().stdout().lines().toList()) {
      records.put(
          line.replaceFirst(".*?" + key + "=(\\S+).*", "$1"),
          line.replaceAll(
                  " (CPULoad|FreeMem|BootTime|SlurmdStartTime|LastBusyTime|Arch|Version)=\\S+| State=(?!UP\\b)\\S+",
                  "")
              .replaceAll(" (OS|Reason)=.*?(?= [A-Za-z]+=|$)", ""));
    }
    return records;
  }

  @Test
  void nodesOfSplitLinesAreWhatTheyWereButForTheirGres() throws IOException {
    Files.writeString(site(), SITE);
    cluster.restartController();
    Map<String, String> nodesBefore = records("node", "NodeName");
    Map<String, String> partitionsBefore = records("partition", "PartitionName");
    List<NodeChange> nodes =
        List.of("a02", "a03", "b1-ib1").stream()
            .map(n -> new NodeChange(n, "gpu:2,gpumem:9", "gpu:t4:24,gpumem:9", true))
            .toList();
    SiteChange change =
        SiteChange.of(
            SlurmConfig.read(cluster.paths().slurmConf()),
            nodes,
            SlurmConfSettings.defaults(),
            SiteRequest.none());
    SiteFile file = change.files().get(0);
    assertEquals("nodes/site.conf", file.name());
    Files.write(site(), file.after());
    cluster.restartController();
    Map<String, String> nodesAfter = records("node", "NodeName");
    for (NodeChange node : nodes) {
      nodesBefore.computeIfPresent(
          node.name(),
          (name, line) -> line.replace(" Gres=gpu:2,gpumem:9 ", " Gres=gpu:t4:24,gpumem:9 "));
    }
    assertEquals(lines(nodesBefore), lines(nodesAfter));
    assertEquals(lines(partitionsBefore), lines(records("partition", "PartitionName")));
  }

  private static String lines(Map<String, String> records) {
    return String.join("\n", records.values());
  }

  @Test
  void everyProgramThatAPatternFindsIsRunTheLastNameFirst() throws IOException {
    assertTrue(cluster.srun("true").ok());
    Path hooks = cluster.paths().etc().resolve("prolog.d");
    assertEquals(
        "%1$s/50-schedgpu\n%1$s/10-site\n".formatted(hooks),
        Files.readString(hooks.resolveSibling("ran")));
  }
}
