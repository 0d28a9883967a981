package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.NodeSpec;
import org.schedgpu.minicluster.Requirements;
import org.schedgpu.minicluster.SlurmRelease;

/** A real slurmctld sees the same nodes and partitions in unusual configurations. */
class SlurmctldViewTest {
  private static final String PREFIX = MiniCluster.freshNodePrefix();
  private static MiniCluster cluster;

  @BeforeAll
  static void start() {
    List<String> missing = Requirements.missing();
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    cluster =
        MiniCluster.builder()
            .nodes(NodeSpec.numbered(PREFIX, 1, 2, 1000, ""))
            .slurmConf("Include odd.conf")
            .build();
    odd("# nothing yet\n");
    cluster.start();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static void odd(String text) {
    Confs.write(cluster.paths().slurmConf().getParent(), "odd.conf", text);
  }

  @Test
  void defaultLinesReplacedKeyByKey() {
    compare(
        """
        NodeName=DEFAULT CPUs=8 Feature=old Gres=gpu:1 Weight=3
        NodeName=a1 NodeAddr=127.0.0.1 Port=7001
        nodename=default GRES=gpu:t4:2 Features=new
        NodeName=a[2-3] NodeAddr=127.0.0.1 Port=7002-7003 Feature="x,y"
        NodeName=DEFAULT CPUs=4
        NodeName=a4 NodeAddr=127.0.0.1 Port=7004 Procs=2
        """);
  }

  @Test
  void hostlistsHostnamesAndPorts() {
    compare(
        """
        NodeName=gpu[01-03,10]-ib[0-1] NodeHostname=h[1-8] NodeAddr=127.0.0.1 \\
            Port=[7101-7108] CPUs = 2  \t Gres="gpu:k20m:2,gpu:t4:1"
        NodeName=b[9-11],c NodeAddr=127.0.0.1 Port=7110,7112-7114
        """);
  }

  @Test
  void nodeSetsAndPartitionsWithDefaults() {
    compare(
        """
        NodeName=n[1-4] NodeAddr=127.0.0.1 Port=7201-7204 Feature=x
        NodeName=n[5-6] NodeAddr=127.0.0.1 Port=7205-7206 Feature=x,y
        NodeSet=outer Nodes=inner,n1
        NodeSet=inner Feature=y
        NodeSet=both Feature=y Nodes=n[2-3]
        PartitionName=p1 Nodes=outer,n4
        PartitionName=DEFAULT Nodes="n2 n3" MaxTime=10
        PartitionName=p2
        PartitionName=p3 Nodes=both
        PartitionName=p4 Nodes=all
        """);
  }

  @Test
  void includesContinuationsAndComments() {
    Path etc = cluster.paths().slurmConf().getParent();
    Confs.write(
        etc,
        "sub/mini.conf",
        "NodeName=i2 NodeAddr=127.0.0.1 Port=7302 # \\\ninclude more.conf\r\n");
    Confs.write(
        etc,
        // From 23.02 on a relative name counts from the folder of slurm.conf.
        SlurmRelease.installed().isAtLeast(23, 2) ? "more.conf" : "sub/more.conf",
        "NodeName=DEFAULT Gres=gpu:7\nNodeName=i3 NodeAddr=127.0.0.1 Port=7303");
    compare(
        """
        NodeName=i1 \\
          NodeAddr=127.0.0.1 \\\t
          Port=7301 Feature=a\\#b \\
        # this ends it
        Include sub/%c.conf
        NodeName=i4 NodeAddr=127.0.0.1 Port=7304
        SlurmdPort=7777
        NodeName=i5 NodeAddr=127.0.0.2
        """);
  }

  @Test
  void repeatedKeysAndOldNames() {
    compare(
        """
        NodeName=DEFAULT Features=d Procs=4
        NodeName=r1 NodeAddr=127.0.0.1 Port=7401 CPUs=2 CPUs=6 Gres=gpu:1 gres=gpu:2
        NodeName=r2 NodeAddr=127.0.0.1 Port=7402 Feature=e Features=f
        NodeName=r3 NodeAddr=127.0.0.1 Port=7403
        MaxArraySize=11
        MaxArraySize=12
        """);
    assertTrue(
        cluster.scontrol("show", "config").stdout().contains("MaxArraySize            = 12"));
    assertEquals("12", read().setting("maxarraysize").orElseThrow().value());
  }

  @Test
  void gresWithSuffixesSocketsAndSharing() {
    compare(
        """
        NodeName=g1 NodeAddr=127.0.0.1 Port=7501 CPUs=4 Gres=gpu:a100:2(S:0),gpu:full:1
        NodeName=g2 NodeAddr=127.0.0.1 Port=7502 Gres=gpu:2K
        NodeName=g3 NodeAddr=127.0.0.1 Port=7503 Gres=gpu
        """);
  }

  private static SlurmConfig read() {
    return SlurmConfig.read(cluster.paths().slurmConf());
  }

  private void compare(String text) {
    odd(text);
    cluster.restartController();
    SlurmConfig config = read();
    Map<String, Map<String, String>> theirs = records("node", "NodeName");
    Map<String, Map<String, String>> partitions = records("partition", "PartitionName");
    Map<String, String> ours = new TreeMap<>();
    Map<String, String> slurms = new TreeMap<>();
    config.nodes().forEach(node -> ours.put(node.name(), text(node, config)));
    String port = config.setting("SlurmdPort").map(Setting::value).orElse("6818");
    theirs.forEach((name, record) -> slurms.put(name, text(record, port)));
    assertEquals(String.join("\n", slurms.values()), String.join("\n", ours.values()));
    config
        .partitions()
        .forEach(
            partition ->
                assertEquals(
                    new TreeSet<>(
                        Hostlist.expand(none(partitions.get(partition.name()).get("Nodes")))),
                    partition.nodes().stream()
                        .map(SlurmNode::name)
                        .collect(Collectors.toCollection(TreeSet::new)),
                    partition.name()));
    assertEquals(partitions.size(), config.partitions().size());
  }

  private static String text(SlurmNode node, SlurmConfig config) {
    String cpus = node.cpus().map(Setting::value).orElse("1");
    String partitions =
        config.partitions().stream()
            .filter(partition -> partition.nodes().contains(node))
            .map(SlurmPartition::name)
            .sorted()
            .collect(Collectors.joining(","));
    return "%s host %s addr %s port %d cpus %s features %s gres %s in %s"
        .formatted(
            node.name(),
            node.hostname(),
            node.address(),
            node.port(),
            cpus,
            String.join(",", node.features()),
            gres(node.gres().map(Setting::value).orElse("")),
            partitions);
  }

  private static String text(Map<String, String> record, String port) {
    String partitions =
        List.of(none(record.get("Partitions")).split(",", -1)).stream()
            .sorted()
            .collect(Collectors.joining(","));
    return "%s host %s addr %s port %s cpus %s features %s gres %s in %s"
        .formatted(
            record.get("NodeName"),
            record.get("NodeHostName"),
            record.get("NodeAddr"),
            record.getOrDefault("Port", port),
            record.get("CPUTot"),
            none(record.get("AvailableFeatures")),
            gres(none(record.get("Gres"))),
            partitions);
  }

  /** Slurm writes the counts again and leaves out the sockets. */
  private static String gres(String value) {
    Setting setting = new Setting("Gres", value, Confs.line("NodeName=a\n"));
    return GresSpec.parse(setting).toString();
  }

  private static String none(String value) {
    return value == null || value.equals("(null)") ? "" : value;
  }

  /** scontrol's one line for each, as keys and values. */
  private static Map<String, Map<String, String>> records(String what, String key) {
    Map<String, Map<String, String>> records = new HashMap<>();
    for (String line : cluster.scontrol("show", what, "-o").orThrow().stdout().lines().toList()) {
      Map<String, String> record = new HashMap<>();
      for (String word : line.split(" +", -1)) {
        int equals = word.indexOf('=');
        if (equals > 0) {
          record.putIfAbsent(word.substring(0, equals), word.substring(equals + 1));
        }
      }
      records.put(record.get(key), record);
    }
    return records;
  }
}
