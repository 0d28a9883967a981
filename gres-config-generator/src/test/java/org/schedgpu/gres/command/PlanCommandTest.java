package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.GresConfWriter;
import picocli.CommandLine;

/** {@code gres} as a subcommand of another command, as it is mounted. */
class PlanCommandTest {
  private static final String DEVICE =
      "index=0,uuid=GPU-0,file=/dev/nvidia0,totalBytes=16G,contextBytes=256M,name=Tesla T4";

  @CommandLine.Command(name = "schedgpu", subcommands = GresCommand.class)
  static final class Top {}

  @TempDir Path folder;
  private Path facts;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void writeFacts() throws IOException {
    facts = Files.writeString(folder.resolve("gpu1.json"), Fixtures.facts(16, 2).toJson());
  }

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return new CommandLine(new Top())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(Stream.concat(Stream.of("gres"), Arrays.stream(args)).toArray(String[]::new));
  }

  private int plan(String... args) {
    return run(
        Stream.concat(Stream.of("plan", "--facts", facts.toString()), Arrays.stream(args))
            .toArray(String[]::new));
  }

  private JsonNode json(String... args) throws IOException {
    assertEquals(
        0, plan(Stream.concat(Stream.of("--json"), Arrays.stream(args)).toArray(String[]::new)));
    return new ObjectMapper().readTree(out.toString());
  }

  @Test
  void printsTheTableAndTheThreeFiles() {
    assertEquals(0, plan("--per-gpu", "6"), err.toString());
    String text = out.toString();
    assertTrue(
        text.startsWith(
            """
            NODE  BEFORE  AFTER              SHARES  ORDER   A SHARE
            gpu1  gpu:2   gpu:tesla_k20m:12  2 x 6   spread  0.8 GiB
            in all: 2 GPUs in Gres= before, 12 after, on 2 devices of 1 node

            ==> gres.conf <==
            """),
        text);
    assertTrue(text.contains("\n==> slurm-schedgpu.conf <==\n# BEGIN schedgpu\n"));
    assertTrue(text.contains("\n==> devices.conf <==\nNodeName=gpu1 Device=0 "));
    assertEquals("", err.toString());
  }

  @Test
  void nothingOfATableIsCutWhereThereIsNoTerminal() throws IOException {
    NodeFacts longest = new NodeFacts("n".repeat(255), null, Fixtures.devices(16));
    Files.writeString(facts, longest.toJson());
    assertEquals(0, plan("--per-gpu", "64", "--type", "t".repeat(63), "--output", out("x")));
    List<String> table = out.toString().lines().takeWhile(line -> !line.isEmpty()).toList();
    assertEquals(3, table.size());
    assertTrue(table.get(1).contains("gpu:" + "t".repeat(63) + ":1024"), table.get(1));
    assertTrue(table.get(1).startsWith("n".repeat(255) + " "), table.get(1));
  }

  private String out(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void writesWhatItWouldPrint() throws IOException {
    JsonNode printed = json("--per-gpu", "6").get("files");
    assertEquals(0, plan("--per-gpu", "6", "--output", out("new")), err.toString());
    for (String name : List.of("gres.conf", "slurm-schedgpu.conf", "devices.conf")) {
      Path file = folder.resolve("new").resolve(name);
      assertEquals(printed.get(name).asText(), Files.readString(file));
      assertTrue(out.toString().contains("written: " + file.toRealPath() + "\n"));
    }
  }

  @Test
  void dryRunWritesNothing() {
    assertEquals(0, plan("--per-gpu", "6", "--output", out("new"), "--dry-run"));
    assertTrue(out.toString().contains("==> gres.conf <=="));
    assertFalse(Files.exists(folder.resolve("new")));
  }

  @Test
  void foreignGresConfNeedsForce() throws IOException {
    Path foreign = Files.writeString(folder.resolve("gres.conf"), "AutoDetect=nvml\n");
    assertEquals(1, plan("--per-gpu", "6", "--output", folder.toString()));
    assertTrue(err.toString().contains(foreign + " was not written by schedgpu gres: "));
    assertEquals("AutoDetect=nvml\n", Files.readString(foreign));
    assertEquals(0, plan("--per-gpu", "6", "--output", folder.toString(), "--force"));
    assertTrue(Files.readString(foreign).startsWith(GresConfWriter.MARK));
  }

  @Test
  void jsonHasTheFactsOfThePlan() throws IOException {
    JsonNode root = json("--per-gpu", "3", "--order", "pack", "--no-links", "--type", "k20m");
    JsonNode node = root.get("nodes").get(0);
    assertEquals("gpu1", node.get("nodeName").asText());
    assertEquals("gpu:2", node.get("gresBefore").asText());
    assertEquals("gpu:k20m:6", node.get("gresAfter").asText());
    assertEquals(3, node.get("sharesPerDevice").asInt());
    assertEquals("pack", node.get("order").asText());
    assertFalse(node.get("links").asBoolean());
    assertEquals(
        (Fixtures.TOTAL_BYTES - Fixtures.CONTEXT_BYTES) / 3, node.get("shareBytes").asLong());
    assertEquals("[3,4,5]", node.get("devices").get(1).get("virtual").toString());
    assertEquals(Fixtures.TOTAL_BYTES, node.get("devices").get(1).get("totalBytes").asLong());
    assertTrue(root.get("output").isNull());
    assertFalse(root.get("written").asBoolean());
    assertFalse(root.get("files").get("gres.conf").asText().contains("Links="));
  }

  @Test
  void jsonSaysWhatWasWritten() throws IOException {
    JsonNode root = json("--per-gpu", "3", "--output", out("new"));
    assertEquals(out("new"), root.get("output").asText());
    assertTrue(root.get("written").asBoolean());
    assertTrue(Files.exists(folder.resolve("new/gres.conf")));
    assertFalse(json("--per-gpu", "3", "-o", out("n2"), "--dry-run").get("written").asBoolean());
  }

  @Test
  void sharesComeFromOneOfThreeRules() throws IOException {
    assertEquals(16, sharesOf("--per-cpu"));
    assertEquals(4, sharesOf("--share", "1G"));
    assertEquals(2, sharesOf("--share", "40%"));
    assertEquals(2, plan("--per-gpu", "2", "--per-cpu"));
    assertEquals(2, plan());
  }

  private int sharesOf(String... rule) throws IOException {
    return json(rule).get("nodes").get(0).get("sharesPerDevice").asInt();
  }

  @Test
  void nodeIsGivenByOptionsToo() {
    int rc = run("plan", "--node", "gpu9", "--cpus", "4", "--device", DEVICE, "--per-cpu");
    assertEquals(0, rc, err.toString());
    assertTrue(
        out.toString()
            .contains(
                "NodeName=gpu9 Device=0 UUID=GPU-0 File=/dev/nvidia0 TotalBytes=17179869184"
                    + " ReservedBytes=0 ContextBytes=268435456 Virtual=0-3 Name=\"Tesla T4\"\n"));
    assertTrue(out.toString().contains("NodeName=gpu9 Gres=gpu:tesla_t4:4\n"));
  }

  @Test
  void deviceOptionIsChecked() {
    assertDeviceRefused("index=0,uuid", "--device, 'uuid' is not Key=Value: ");
    assertDeviceRefused(
        DEVICE.replace("index=0", "index=x"), "--device, index 'x' is not a number: ");
    assertDeviceRefused(
        DEVICE.replace("16G", "16Q"), "--device, totalBytes, size '16Q' cannot be read: ");
    assertDeviceRefused(DEVICE.replace("uuid", "uid"), "'uuid' is missing: ");
    assertDeviceRefused(DEVICE.replace("index=0", "index=16"), "--device, device index is 16: ");
  }

  private void assertDeviceRefused(String device, String part) {
    assertEquals(1, run("plan", "--node", "gpu9", "--device", device, "--per-gpu", "2"));
    assertTrue(err.toString().startsWith("schedgpu gres: --device, "), err.toString());
    assertTrue(err.toString().contains(part), err.toString());
    assertEquals("", out.toString());
  }

  @Test
  void twoFactsFilesAreTwoNodes() throws IOException {
    NodeFacts second = new NodeFacts("gpu2", 4, Fixtures.devices(1));
    Path file = Files.writeString(folder.resolve("gpu2.json"), second.toJson());
    JsonNode root = json("--facts", file.toString(), "--per-gpu", "5", "--slurm-version=22.05.8");
    assertEquals(2, root.get("nodes").size());
    assertEquals(
        "node gpu2 has 4 CPUs for 5 virtual GPUs: at one CPU a job, 4 jobs run at a time",
        root.get("notes").get(0).asText());
    assertEquals(3, root.get("notes").size());
  }

  @Test
  void settingsReachTheSlurmLines() {
    assertEquals(
        0,
        plan(
            "--per-gpu=2",
            "--plugstack=/etc/p.conf",
            "--prolog=/x/prolog",
            "--epilog=/x/epilog",
            "--prolog-epilog-timeout=45",
            "--control-file=/dev/other"),
        err.toString());
    assertTrue(
        out.toString()
            .contains("PlugStackConfig=/etc/p.conf\nProlog=/x/prolog\nEpilog=/x/epilog\n# Larger"));
    assertTrue(out.toString().contains("\nPrologEpilogTimeout=45\n"));
    assertTrue(out.toString().contains("MultipleFiles=/dev/nvidia0,/dev/other "));
  }

  @Test
  void wrongUsageIs2AndNamesTheOption() {
    assertEquals(2, run());
    assertEquals(2, run("plan", "--per-gpu", "2"));
    assertTrue(err.toString().startsWith("no node: give --facts or --node"), err.toString());
    assertEquals(2, run("plan", "--per-gpu", "2", "--node", "a"));
    assertTrue(err.toString().startsWith("--node and --device go together"), err.toString());
    assertEquals(2, plan("--per-gpu", "2", "--cpus", "4"));
    assertTrue(err.toString().startsWith("--cpus needs --node"), err.toString());
    assertEquals(2, plan("--per-gpu", "2", "--order", "sideways"));
    assertTrue(err.toString().contains("order 'sideways' is not known"), err.toString());
    assertEquals(2, plan("--per-gpu", "two"));
    assertTrue(err.toString().contains("--per-gpu"), err.toString());
  }

  @Test
  void orderIsReadInAnyCase() throws IOException {
    assertEquals(
        "pack", json("--per-gpu=2", "--order=PACK").get("nodes").get(0).get("order").asText());
  }

  @Test
  void helpHasExamplesAndExitCodesIn80Columns() {
    assertEquals(0, run("plan", "--help"));
    assertTrue(out.toString().contains("Examples:"));
    assertTrue(out.toString().contains("Exit codes:"));
    assertTrue(
        out.toString().contains("--share=SIZE           As many shares of SIZE (6G, 512M, 25%)"));
    out.toString().lines().forEach(line -> assertTrue(line.length() <= 80, line));
    assertEquals(0, run("--help"));
    assertTrue(out.toString().contains("plan"));
  }
}
