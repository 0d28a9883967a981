package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What slurm.conf means. */
class SlurmConfigTest {
  @TempDir Path folder;

  private SlurmConfig read(String text) {
    return SlurmConfig.read(Confs.write(folder, "slurm.conf", text));
  }

  private String error(String text) {
    return Confs.error(folder, () -> read(text));
  }

  private static String nodesOf(SlurmConfig config, String partition) {
    return String.join(
        " ",
        config.partition(partition).orElseThrow().nodes().stream().map(SlurmNode::name).toList());
  }

  @Test
  void defaultsHoldForTheLinesBelowUntilReplacedKeyByKey() {
    SlurmConfig config =
        read(
            """
            NodeName=a
            NodeName=DEFAULT CPUs=8 Gres=gpu:1
            NodeName=b Gres=gpu:2
            NodeName=default gres=gpu:4
            NodeName=c
            """);
    assertTrue(config.node("a").orElseThrow().gres().isEmpty());
    assertEquals("gpu:2", config.node("b").orElseThrow().gres().orElseThrow().value());
    Setting gres = config.node("c").orElseThrow().gres().orElseThrow();
    assertEquals("gpu:4 slurm.conf line 4", gres.value() + " " + at(gres));
    assertTrue(gres.isDefault());
    Setting cpus = config.node("c").orElseThrow().cpus().orElseThrow();
    assertEquals("8 slurm.conf line 2", cpus.value() + " " + at(cpus));
    assertFalse(config.node("b").orElseThrow().gres().orElseThrow().isDefault());
    assertEquals(List.of("a", "b", "c"), config.nodes().stream().map(SlurmNode::name).toList());
  }

  private String at(Setting setting) {
    return setting.place().toString().replace(folder + "/", "");
  }

  private static String cpusAndCores(SlurmConfig config, String name) {
    SlurmNode node = config.node(name).orElseThrow();
    return node.cpuCount().orElse(-1) + " " + node.coreCount().orElse(-1);
  }

  @Test
  void cpusAndCoresAreCountedAsSlurmctldDoes() {
    SlurmConfig config =
        read(
            """
            NodeName=a CPUs=1024 ThreadsPerCore=2
            NodeName=b Boards=2 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2
            NodeName=c SocketsPerBoard=2 CoresPerSocket=4
            NodeName=d Sockets=2
            NodeName=e CPUs=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2
            NodeName=f
            """);
    assertEquals("1024 512", cpusAndCores(config, "a"));
    assertEquals("32 16", cpusAndCores(config, "b"));
    assertEquals("8 8", cpusAndCores(config, "c"));
    assertEquals("2 2", cpusAndCores(config, "d"));
    assertEquals("16 8", cpusAndCores(config, "e"));
    assertEquals("-1 -1", cpusAndCores(config, "f"));
  }

  @Test
  void oldNamesOfKeysComeLater() {
    SlurmConfig config =
        read(
            """
            NodeName=DEFAULT CPUs=8 Feature=x
            NodeName=a Procs=4 Features=y,z
            """);
    assertEquals("8", config.node("a").orElseThrow().cpus().orElseThrow().value());
    assertEquals(List.of("y", "z"), config.node("a").orElseThrow().features());
  }

  @Test
  void hostsAddressesAndPortsGoWithTheNames() {
    SlurmConfig config =
        read(
            """
            NodeName=a[1-2] NodeHostname=h[8-9] Port=7001-7002
            NodeName=b[1-2] NodeAddr=10.0.0.1 Port=[7005-7006]
            NodeName=c
            SlurmdPort=7000
            """);
    SlurmNode a2 = config.node("a2").orElseThrow();
    assertEquals("h9 h9 7002", "%s %s %d".formatted(a2.hostname(), a2.address(), a2.port()));
    SlurmNode b2 = config.node("b2").orElseThrow();
    assertEquals("b2 10.0.0.1 7006", "%s %s %d".formatted(b2.hostname(), b2.address(), b2.port()));
    assertEquals(7000, config.node("c").orElseThrow().port());
  }

  @Test
  void partitionsTakeAllListsAndSets() {
    SlurmConfig config =
        read(
            """
            NodeName=a[1-3] Feature=x
            NodeName=b[1-2] Feature=x,y
            NodeSet=outer Nodes=inner,a1
            NodeSet=inner Feature=y
            PartitionName=p1 Nodes=all
            PartitionName=p2 Nodes=a[2-3],b1
            PartitionName=p3 Nodes=outer
            PartitionName=p4
            PartitionName=DEFAULT Nodes="a3 a1" MaxTime=5 SuspendTime=9
            PartitionName=p5
            PartitionName=p6 Nodes=inner
            """);
    assertEquals("a1 a2 a3 b1 b2", nodesOf(config, "p1"));
    assertEquals("a2 a3 b1", nodesOf(config, "p2"));
    assertEquals("a1 b1 b2", nodesOf(config, "p3"));
    assertEquals("", nodesOf(config, "p4"));
    assertEquals("a1 a3", nodesOf(config, "p5"));
    assertEquals("b1 b2", nodesOf(config, "p6"));
    SlurmPartition p6 = config.partition("p6").orElseThrow();
    assertEquals("5", p6.setting("maxtime").orElseThrow().value());
    assertTrue(p6.setting("SuspendTime").isEmpty());
    assertEquals(6, config.partitions().size());
  }

  @Test
  void settingsOfTheClusterTakeTheLastValue() {
    SlurmConfig config =
        read("GresTypes=gpu\nSlurmctldHost=a\nSlurmctldHost=b\ngrestypes=gpu,shard\n");
    assertEquals("gpu,shard", config.setting("GRESTYPES").orElseThrow().value());
    assertEquals(
        List.of("slurm.conf line 4, grestypes= is in slurm.conf line 1 too, Slurm takes the last"),
        config.warnings().stream().map(w -> w.replace(folder + "/", "")).toList());
  }

  @Test
  void gresOfANodeInParts() {
    SlurmConfig config =
        read("NodeName=a Gres=gpu:k20m:2(S:0-1),gpu:4,shard:1K,lic:no_consume:4G,gpu:t4,nic\n");
    assertEquals(
        "gpu/k20m/2 gpu/-/4 shard/-/1024 lic/-/4294967296! gpu/t4/1 nic/-/1",
        String.join(
            " ",
            GresSpec.parse(config.node("a").orElseThrow().gres().orElseThrow()).stream()
                .map(
                    g ->
                        g.name()
                            + "/"
                            + g.type().orElse("-")
                            + "/"
                            + g.count()
                            + (g.noConsume() ? "!" : ""))
                .toList()));
  }

  @Test
  void wrongGresCountIsReported() {
    Setting gres = read("NodeName=a Gres=gpu:2x\n").node("a").orElseThrow().gres().orElseThrow();
    assertEquals(
        "slurm.conf line 1, Gres= has the count 2x in 'gpu:2x': write name:type:count, the count a"
            + " number such as 4 or 32G",
        Confs.error(folder, () -> GresSpec.parse(gres)));
  }

  @Test
  void whatSlurmRefusesIsReported() {
    assertEquals(
        "slurm.conf line 2, node a2 is defined already in slurm.conf line 1: define each node once;"
            + " DEFAULT lines are the way to share keys",
        error("NodeName=a[1-3]\nNodeName=a2\n"));
    assertEquals(
        "slurm.conf line 1, NodeAddr= is not allowed with NodeName=DEFAULT: move it to the nodes'"
            + " lines",
        error("NodeName=DEFAULT NodeAddr=x\n"));
    assertEquals(
        "slurm.conf line 1, NodeName=ALL is reserved by Slurm: name the nodes",
        error("NodeName=all\n"));
    assertEquals(
        "slurm.conf line 1, Port= has 3 values for 2 nodes: give one for all or one for each",
        error("NodeName=a[1-2] Port=1-3\n"));
    assertEquals(
        "slurm.conf line 1, NodeAddr= has 2 values for 3 nodes: give one for all or one for each",
        error("NodeName=a[1-3] NodeAddr=b[1-2]\n"));
    assertEquals(
        "slurm.conf line 1, Port=0 is no port: use 1 to 65535", error("NodeName=a Port=0\n"));
    assertEquals(
        "slurm.conf line 1, SlurmdPort=65536 is no port: use 1 to 65535",
        error("SlurmdPort=65536\n"));
    assertEquals(
        "slurm.conf line 2, Nodes= names b,c, which no NodeName= or NodeSet= defines: define the"
            + " node or take it out",
        error("NodeName=a\nPartitionName=p Nodes=a,c,b\n"));
    assertEquals(
        "slurm.conf line 2, partition p is defined already in slurm.conf line 1: define it once",
        error("PartitionName=p\nPartitionName=p\n"));
    assertEquals(
        "slurm.conf line 1, hostlist 'a[1' has brackets that do not match: close each '[' with a"
            + " ']'",
        error("NodeName=a[1\n"));
  }

  @Test
  void tenThousandNodesOnLinesOfTheirOwn() {
    StringBuilder text = new StringBuilder("NodeName=DEFAULT CPUs=64\n");
    for (int i = 0; i < 10_000; i++) {
      text.append("NodeName=gpu%05d Gres=gpu:4 Feature=r%d%n".formatted(i, i % 100));
    }
    text.append("NodeSet=s Feature=r7\nPartitionName=p Nodes=ALL\nPartitionName=q Nodes=s\n");
    SlurmConfig config = read(text.toString());
    assertEquals(10_000, config.partition("p").orElseThrow().nodes().size());
    assertEquals(100, config.partition("q").orElseThrow().nodes().size());
    ConfEdit edit = config.tree().files().get(0).edit();
    config.nodes().forEach(node -> edit.set(node.line(), "Gres", "gpu:48"));
    assertEquals(text.toString().replace("gpu:4 ", "gpu:48 "), edit.result().text());
  }
}
