package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;
import picocli.CommandLine;

/** A plan beside the cluster's own slurm.conf. */
class CurrentClusterTest {
  @TempDir Path folder;

  private CurrentCluster read(String text) throws IOException {
    return CurrentCluster.read(Files.writeString(folder.resolve("slurm.conf"), text));
  }

  /** Two devices, six shares each, on these nodes. */
  private static GresPlan plan(String... nodes) {
    return new GresPlan(
        Arrays.stream(nodes)
            .map(n -> new NodePlan(n, Fixtures.devices(2), 6, "t4", Order.SPREAD, true))
            .toList());
  }

  private static String changed(CurrentCluster now, GresPlan plan) {
    return now.with(plan).values().stream()
        .map(file -> new String(file.bytes(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("--\n"));
  }

  @Test
  void countsGoIntoTheNodesOwnLinesAndOtherGresStays() throws IOException {
    Files.writeString(folder.resolve("more.conf"), "NodeName=b CPUs=2\t# x\r\n");
    CurrentCluster now =
        read(
            """
            ClusterName=x  # mine
            GRESTYPES=nic
            NodeName=DEFAULT Gres=gpu:2,nic:1
            Include more.conf
            NodeName=a  gres = gpu:t4:2,nic:4   CPUs=2
            NodeName=c
            """);
    assertEquals("gpu:2,nic:1", now.gres("b"));
    assertEquals(
        """
        NodeName=b CPUs=2 Gres=gpu:t4:12,nic:1\t# x\r
        --
        ClusterName=x  # mine
        GRESTYPES=nic,gpu
        NodeName=DEFAULT Gres=gpu:2,nic:1
        Include more.conf
        NodeName=a  gres = gpu:t4:12,nic:4   CPUs=2
        NodeName=c
        """,
        changed(now, plan("b", "a")));
  }

  @Test
  void secondTimeNothingChanges() throws IOException {
    CurrentCluster now = read("ClusterName=x\nNodeName=a\n");
    String text = changed(now, plan("a"));
    assertEquals("ClusterName=x\nGresTypes=gpu\nNodeName=a Gres=gpu:t4:12\n", text);
    assertEquals("", changed(read(text), plan("a")));
  }

  @Test
  void lineOfNodesThatDifferIsSplit() throws IOException {
    CurrentCluster now = read("NodeName=a[1-3] CPUs=2  # rack 7\n");
    assertEquals(
        """
        NodeName=a[1-2] CPUs=2 Gres=gpu:t4:12  # rack 7
        GresTypes=gpu
        NodeName=a3 CPUs=2  # rack 7
        """
            .lines()
            .sorted()
            .toList(),
        changed(now, plan("a1", "a2")).lines().sorted().toList());
    assertTrue(changed(now, plan("a1", "a2", "a3")).contains("NodeName=a[1-3] CPUs=2 Gres=gpu:t"));
  }

  @Test
  void unknownNodeIsReported() throws IOException {
    CurrentCluster now = read("NodeName=a\n");
    assertEquals(
        "schedgpu gres: node b is not in %s or its includes: use the NodeName that slurm.conf has, or define the node there first"
            .formatted(folder.resolve("slurm.conf")),
        assertThrows(GresException.class, () -> now.with(plan("b"))).getMessage());
  }

  @Test
  void aBlankInGresIsInvalidAsForSlurm() throws IOException {
    CurrentCluster now = read("NodeName=a Gres=\"gpu:t4:2, nvme:1\"\nNodeName=b Gres=gpu:2\n");
    assertEquals(
        "schedgpu gres: %s line 1, Gres=\"gpu:t4:2, nvme:1\" has a blank, which Slurm calls invalid: write it without blanks"
            .formatted(folder.resolve("slurm.conf")),
        assertThrows(GresException.class, () -> now.with(plan("a"))).getMessage());
    assertTrue(changed(now, plan("b")).contains("NodeName=a Gres=\"gpu:t4:2, nvme:1\"\n"));
  }

  @Test
  void planShowsWhatTheNodesHaveNow() throws IOException {
    read("NodeName=DEFAULT Gres=gpu:k20:3\nNodeName=gpu1\n");
    Path facts = Files.writeString(folder.resolve("f.json"), Fixtures.facts(16, 2).toJson());
    StringWriter out = new StringWriter();
    int status =
        new CommandLine(new PlanCommand())
            .setOut(new PrintWriter(out, true))
            .execute(
                "--facts=" + facts,
                "--per-gpu=6",
                "--type=t4",
                "--slurm-conf=" + folder.resolve("slurm.conf"));
    assertEquals(0, status);
    List<String> lines = out.toString().lines().toList();
    assertTrue(lines.get(1).startsWith("gpu1  gpu:k20:3  gpu:t4:12 "), lines.get(1));
    assertTrue(lines.contains("+NodeName=gpu1 Gres=gpu:t4:12"), out.toString());
  }
}
