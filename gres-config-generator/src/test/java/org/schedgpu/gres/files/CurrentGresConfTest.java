package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.gres.Fixtures.devices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;
import org.schedgpu.gres.plan.UnchangedGroup;
import org.schedgpu.gres.site.SlurmConfSettings;

/** What a plan does with an existing gres.conf. */
class CurrentGresConfTest {
  private static final List<String> CLUSTER = List.of("gpu1", "gpu2", "gpu3", "gpu4");

  @TempDir private Path temporary;
  private Path file;

  @BeforeEach
  void find() throws IOException {
    file = temporary.toRealPath().resolve("gres.conf");
  }

  private static NodePlan node(String name) {
    return new NodePlan(name, devices(1), 2, "k20m", Order.PACK, false);
  }

  private CurrentGresConf now(String text) {
    return now(text, Optional.of(CLUSTER));
  }

  private CurrentGresConf now(String text, Optional<List<String>> nodes) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return CurrentGresConf.read(file, nodes);
  }

  private static Map<String, byte[]> files(CurrentGresConf now, NodePlan... nodes) {
    return GresConfChange.of(now, new GresPlan(Arrays.asList(nodes)), false).files();
  }

  private String after(String text, NodePlan... nodes) {
    return text(files(now(text), nodes).get("gres.conf"));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** The text outside our lines. */
  private static String others(String text) {
    int begin = text.indexOf(GresBlock.BEGIN);
    int end = text.indexOf(GresBlock.END) + GresBlock.END.length() + 1;
    return text.substring(0, begin) + text.substring(end);
  }

  /** Ours, without comments. */
  private static String ours(String text) {
    String rest = text.substring(text.indexOf(GresBlock.BEGIN));
    return String.join("\n", rest.lines().filter(line -> line.startsWith("NodeName=")).toList());
  }

  private void assertRefused(String line, String part, String text, NodePlan... nodes) {
    CurrentGresConf now = now(text);
    String message = assertThrows(GresException.class, () -> files(now, nodes)).getMessage();
    assertTrue(message.startsWith("schedgpu gres: " + file + " line " + line + ", "), message);
    assertTrue(message.contains(part), message);
  }

  @Test
  void whatIsOfOthersStaysByteForByte() {
    String text =
        """
        # by hand: \u00e4\u00f6\u00fc
        Name=nic Count=4   # all
        NodeName=gpu[1-3]  Name=gpu\tType=a100 File=/dev/nvidia[0-1]   # three
        nodename=gpu1 Name=gpu Type=t4 File=/dev/nvidia2
        NodeName=gpu1,gpu4 Name=nic2 Count=1

        NodeName=gpu4 Name=gpu Type=t4 \\
          File=/dev/nvidia0
        """;
    assertEquals(
        text.replace("gpu[1-3]  Name", "gpu[1,3]  Name")
            .replace("nodename=gpu1 Name=gpu Type=t4 File=/dev/nvidia2\n", "")
            .replace("gpu[1,3]", "gpu[2-3]"),
        others(after(text, node("gpu1"))));
  }

  @Test
  void aLineForAllBecomesOneForTheOthers() {
    String text = "Name=gpu \\\n Type=t4 File=/dev/nvidia0 # all\nName=nic Count=2\n";
    assertEquals("NodeName=gpu[2,4] " + text, others(after(text, node("gpu1"), node("gpu3"))));
  }

  @Test
  void aLineForAllGoesIfAllArePlanned() {
    String text = "Name=gpu Type=t4 File=/dev/nvidia0\nName=nic Count=2\n";
    assertEquals(
        "Name=nic Count=2\n",
        others(after(text, node("gpu1"), node("gpu2"), node("gpu3"), node("gpu4"))));
  }

  /** Before, the line also applied to nodes added later. */
  @Test
  void aLineForAllThatNamesNodesNowIsReported() {
    String text = "# a\nName=gpu Type=t4 File=/dev/nvidia0\n";
    GresPlan plan = new GresPlan(List.of(node("gpu1")));
    assertEquals(
        List.of(
            file
                + " line 2, the line was for all nodes and names gpu[2-4] now: it will not apply to"
                + " nodes added later"),
        GresConfChange.of(now(text), plan, false).notes());
    assertEquals(
        List.of(),
        GresConfChange.of(now("NodeName=gpu[1-4] " + text.substring(4)), plan, false).notes());
  }

  @Test
  void theCommentOfALineThatGoesStays() {
    assertEquals(
        "# rack 7\nName=nic Count=2 # two\n",
        others(
            after(
                "NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia0   # rack 7\n"
                    + "NodeName=gpu1 Name=gpu Type=t4 \\\n  File=/dev/nvidia1\n"
                    + "Name=nic Count=2 # two\n",
                node("gpu1"))));
  }

  @Test
  void aLineForAllNeedsTheNamesOfTheOthers() {
    CurrentGresConf now = now("Name=gpu Type=t4 File=/dev/nvidia0\n", Optional.empty());
    String message = assertThrows(GresException.class, () -> files(now, node("gpu1"))).getMessage();
    assertTrue(message.contains(" line 1, the line is for all nodes, and"), message);
    assertTrue(message.contains("--slurm-conf"), message);
  }

  /**
   * slurmd reads lines that begin with Name= first: as a NodeName= line, the first would become the
   * second.
   */
  @Test
  void anotherOrderOfLinesOnAnotherNodeIsRefused() {
    CurrentGresConf now =
        now(
            """
            NodeName=gpu2 Name=gpu Type=t4 File=/dev/nvidia1
            Name=gpu Type=t4 File=/dev/nvidia0
            """);
    String message = assertThrows(GresException.class, () -> files(now, node("gpu1"))).getMessage();
    assertTrue(message.contains("the lines of node gpu2 in " + file + " would mean"), message);
  }

  @Test
  void planningAgainGivesTheSameBytes() {
    String text = "AutoDetect=nvml\nNodeName=gpu[1-3] Name=gpu Type=t4 File=/dev/nvidia0\n";
    String once = after(text, node("gpu2"), node("gpu1"));
    assertEquals(once, after(once, node("gpu2"), node("gpu1")));
    assertEquals(once, after(once, node("gpu1")));
  }

  /** Then the plan's own lines are the last, also without a line end. */
  @Test
  void planningAgainGivesTheSameBytesWithoutALastLineEnd() {
    for (String text : List.of("Name=nic Count=1", "# a\r\nName=nic Count=1", "# no line")) {
      String once = after(text, node("gpu1"));
      assertTrue(once.startsWith(text), once);
      assertEquals(once, after(once, node("gpu1")));
    }
  }

  @Test
  void nodesPlannedBeforeKeepTheirLines() {
    String first = after("", node("gpu1"), node("gpu2"));
    NodePlan more = new NodePlan("gpu1", devices(1), 3, "k20m", Order.PACK, false);
    String line = " Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/nvidiactl";
    assertEquals(
        String.join(
            "\n",
            "NodeName=gpu1" + line,
            "NodeName=gpu1" + line,
            "NodeName=gpu1" + line,
            "NodeName=gpu2" + line,
            "NodeName=gpu2" + line),
        ours(after(first, more)));
  }

  @Test
  void linesBehindOursStayBehind() {
    String once = after("Name=nic Count=1\n", node("gpu1")) + "# end\n";
    String twice = after(once, new NodePlan("gpu1", devices(2), 2, "x", Order.PACK, false));
    assertTrue(twice.endsWith("# END schedgpu gres\n# end\n"), twice);
  }

  @Test
  void aChangeByHandInOurLinesIsNotLost() throws IOException {
    String once = after("# top\n", node("gpu1"), node("gpu2"));
    String edited = once.replace("gpu[1-2] Name=gpu", "gpu[1-2]  Name=gpu");
    assertRefused(
        "2", "the lines of schedgpu gres were changed by hand: move", edited, node("gpu1"));
    Files.writeString(file, edited);
    CurrentGresConf now = CurrentGresConf.read(file, Optional.empty());
    assertEquals(
        once,
        text(
            GresConfChange.of(now, new GresPlan(List.of(node("gpu1"), node("gpu2"))), true)
                .files()
                .get("gres.conf")));
  }

  @Test
  void aLostMarkerIsReported() {
    String once = after("", node("gpu1"));
    assertRefusedAtOnce(once.replace("# END schedgpu gres\n", ""), "line 1, lines of schedgpu");
    assertRefusedAtOnce(once + once, "begin a second time");
    assertRefusedAtOnce("# END schedgpu gres\n", "line 1, a marker ends what did not begin");
  }

  private void assertRefusedAtOnce(String text, String part) {
    String message = assertThrows(GresException.class, () -> now(text)).getMessage();
    assertTrue(message.contains(part), message);
  }

  @Test
  void anIncludedLineIsChangedInItsFile() throws IOException {
    Path folder = Files.createDirectories(temporary.resolve("more"));
    Files.writeString(folder.resolve("gpu.conf"), "NodeName=gpu[1-2] Name=gpu File=/dev/nvidia0\n");
    Map<String, byte[]> files = files(now("Include more/gpu.conf\n"), node("gpu1"));
    assertEquals("NodeName=gpu2 Name=gpu File=/dev/nvidia0\n", text(files.get("more/gpu.conf")));
    assertTrue(text(files.get("gres.conf")).startsWith("Include more/gpu.conf\n# BEGIN schedgpu"));
  }

  @Test
  void migInstancesStayAndAreCountedBehindOurs() {
    String mig =
        """
        NodeName=gpu1 Name=gpu Type=1g.5gb MultipleFiles=/dev/nvidia3,/dev/nvidia-caps/nvidia-cap21
        NodeName=gpu1 Name=gpu Type=1g.5gb MultipleFiles=/dev/nvidia3,/dev/nvidia-caps/nvidia-cap22
        NodeName=gpu1 Name=gpu Type=2g.10gb MultipleFiles=/dev/nvidia3,/dev/nvidia-caps/nvidia-cap9
        """;
    CurrentGresConf now = now(mig + "NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia0\n");
    assertEquals(
        List.of(new UnchangedGroup("1g.5gb", 2), new UnchangedGroup("2g.10gb", 1)),
        now.kept("gpu1"));
    assertTrue(now.isMig("gpu1", "/dev/nvidia3"));
    assertFalse(now.isMig("gpu1", "/dev/nvidia0"));
    assertFalse(now.isMig("gpu2", "/dev/nvidia3"));
    assertEquals(mig, others(text(files(now, node("gpu1")).get("gres.conf"))));
  }

  @Test
  void aMigInstanceNeedsAType() {
    CurrentGresConf now =
        now("NodeName=gpu1 Name=gpu MultipleFiles=/dev/nvidia3,/dev/nvidia-caps/nvidia-cap21\n");
    String message = assertThrows(GresException.class, () -> now.kept("gpu1")).getMessage();
    assertTrue(message.contains(file + " line 1, a MIG instance has no Type="), message);
  }

  @Test
  void slurmsOwnSharingIsRefusedOnPlannedNodes() {
    String text =
        """
        NodeName=gpu[1-2] Name=gpu Type=t4 File=/dev/nvidia0
        NodeName=gpu[1-2] Name=shard Count=4 File=/dev/nvidia0
        NodeName=gpu3 Name=mps Count=100 File=/dev/nvidia0
        """;
    assertRefused("2", "shard is Slurm's own way to share GPUs", text, node("gpu1"));
    assertRefused("3", "mps is Slurm's own way to share GPUs", text, node("gpu3"));
    assertEquals(text, others(after(text, node("gpu4"))));
  }

  @Test
  void slurmsOwnSharingIsTakenOutIfAskedFor() {
    CurrentGresConf now =
        now(
            """
            NodeName=gpu[1-2] Name=shard Count=4 File=/dev/nvidia0
            NodeName=gpu1 Name=mps Count=100 File=/dev/nvidia0
            """);
    GresPlan plan = new GresPlan(List.of(node("gpu1")), SlurmConfSettings.defaults(), true);
    assertEquals(
        "NodeName=gpu2 Name=shard Count=4 File=/dev/nvidia0\n",
        others(text(GresConfChange.of(now, plan, false).files().get("gres.conf"))));
  }

  @Test
  void aDetectorForAllIsOffOnPlannedNodes() {
    String after = after("AutoDetect=nvml\n", node("gpu1"), node("gpu2"));
    assertEquals("AutoDetect=nvml\n", others(after));
    assertTrue(ours(after).startsWith("NodeName=gpu[1-2] AutoDetect=off\nNodeName=gpu[1-2] Name"));
  }

  @Test
  void aDetectorOfANodeIsTakenFromPlannedNodes() {
    String after =
        after("NodeName=gpu[1-2] AutoDetect=nvml\nNodeName=gpu3 AutoDetect=rsmi\n", node("gpu1"));
    assertEquals("NodeName=gpu2 AutoDetect=nvml\nNodeName=gpu3 AutoDetect=rsmi\n", others(after));
    assertFalse(ours(after).contains("AutoDetect"), after);
  }

  @Test
  void whatIsOffAlreadyIsNotSaidTwice() {
    String text = "AutoDetect=nvml\nNodeName=gpu[1-2] AutoDetect=off\n";
    assertEquals(text, others(after(text, node("gpu1"))));
    assertFalse(ours(after(text, node("gpu1"))).contains("AutoDetect"));
  }

  @Test
  void offOnALineThatGoesIsSaidAgain() {
    String text =
        "AutoDetect=nvml\nNodeName=gpu1 AutoDetect=off Name=gpu Type=t4 File=/dev/nvidia0\n";
    assertTrue(ours(after(text, node("gpu1"))).startsWith("NodeName=gpu1 AutoDetect=off\n"));
  }

  @Test
  void aDetectorBesideAnotherGresNeedsALineOfItsOwn() {
    String text = "NodeName=gpu[1-2] AutoDetect=nvml Name=nic Count=1\n";
    assertRefused("1", "give AutoDetect= a line of its own", text, node("gpu1"));
    assertEquals(
        "NodeName=gpu[1-2] Name=nic Count=1\n", others(after(text, node("gpu1"), node("gpu2"))));
  }

  @Test
  void coresOfADeviceAreThoseThatItHas() {
    CurrentGresConf now =
        now(
            """
            NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia[0-1] Cores=0-7
            NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia2 CPUs=8-15
            """);
    assertEquals(Optional.of("0-7"), now.cores("gpu1", "/dev/nvidia1"));
    assertEquals(Optional.of("8-15"), now.cores("gpu1", "/dev/nvidia2"));
    assertEquals(Optional.empty(), now.cores("gpu2", "/dev/nvidia2"));
  }

  /** Gres= of slurm.conf says the types, for the lines that name no nodes. */
  @Test
  void linesOfOtherTypesAreNotOfANode() throws IOException {
    Files.writeString(
        file,
        """
        NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia5
        Name=gpu Type=a100 File=/dev/nvidia0 Cores=0-7
        Name=gpu Type=v100 File=/dev/nvidia1 Cores=8-15
        Name=gpu Type=1g.5gb MultipleFiles=/dev/nvidia2,/dev/nvidia-caps/nvidia-cap3
        Name=nic Type=eth Count=1
        """);
    Map<String, String> gres =
        Map.of("gpu1", "gpu:A100:2,nic:v100:1", "gpu2", "gpu:a100:1,gpu:1", "gpu3", "nic:eth:1");
    CurrentGresConf now =
        CurrentGresConf.read(
            file, Optional.of(CLUSTER), node -> gres.getOrDefault(node, "gpu:h100:1"));
    assertEquals(List.of("a100", "eth", "t4"), types(now, "gpu1"));
    assertEquals(List.of("a100", "v100", "1g.5gb", "eth"), types(now, "gpu2"));
    assertEquals(List.of("a100", "v100", "1g.5gb", "eth"), types(now, "gpu3"));
    assertEquals(Optional.of("0-7"), now.cores("gpu1", "/dev/nvidia0"));
    assertEquals(Optional.empty(), now.cores("gpu1", "/dev/nvidia1"));
    assertEquals(List.of(), now.kept("gpu1"));
    assertTrue(now.isMig("gpu2", "/dev/nvidia2") && !now.isMig("gpu1", "/dev/nvidia2"));
    assertTrue(now.knowsGpus("gpu1") && !now.knowsGpus("gpu4"));
  }

  private static List<String> types(CurrentGresConf now, String node) {
    return now.linesFor(node).stream().flatMap(line -> line.type().stream()).toList();
  }

  @Test
  void aDeviceThatIsSharedByHandIsRefused() {
    String line = "NodeName=gpu[1-2] Name=gpu Type=t4 MultipleFiles=/dev/nvidia0,/dev/nvidiactl\n";
    assertRefused("2", "node gpu1 has /dev/nvidia0 here and in line 1", line + line, node("gpu1"));
    assertEquals(line + line, others(after(line + line, node("gpu3"))));
  }
}
