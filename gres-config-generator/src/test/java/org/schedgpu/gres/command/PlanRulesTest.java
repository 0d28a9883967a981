package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;

/** How rules assign shares to devices, and where facts come from, through the command. */
class PlanRulesTest {
  private static final long GIB = 1L << 30;

  @TempDir private Path folder;
  private Path facts;

  @BeforeEach
  void writeFacts() throws IOException {
    facts = Files.createDirectories(folder.resolve("facts"));
    write("gpu1", 16, "A100", "A100", "A100", "A100");
    write("gpu2", 8, "A100", "T4");
    write("gpu3", null, "Tesla K20m");
  }

  private void write(String node, Integer cpus, String... names) throws IOException {
    Files.writeString(facts.resolve(node + ".json"), facts(node, cpus, names).toJson());
  }

  private static NodeFacts facts(String node, Integer cpus, String... names) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      devices.add(device(i, names[i], null, null));
    }
    return new NodeFacts(node, cpus, devices);
  }

  private static Device device(int index, String name, String cores, Boolean mig) {
    return new Device(
        index, "GPU-" + index, "/dev/nvidia" + index, 16 * GIB, 0, 0, name, cores, mig);
  }

  private CommandMain.Result plan(String... arguments) {
    List<String> all = new ArrayList<>(List.of("gres", "plan", "--facts", facts.toString()));
    all.addAll(List.of(arguments));
    return CommandMain.run(all.toArray(new String[0]));
  }

  private JsonNode json(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    CommandMain.Result result = plan(all.toArray(new String[0]));
    assertEquals(0, result.exitCode(), result.err());
    return new ObjectMapper().readTree(result.out());
  }

  /** {@code gpu1 gpu:a100:12}, one for each node. */
  private List<String> gres(String... arguments) throws IOException {
    return StreamSupport.stream(json(arguments).get("nodes").spliterator(), false)
        .map(node -> node.get("nodeName").asText() + " " + node.get("gresAfter").asText())
        .toList();
  }

  private void assertRefused(int status, String part, String... arguments) {
    CommandMain.Result result = plan(arguments);
    assertEquals(status, result.exitCode(), result.err());
    assertTrue(result.err().contains(part), result.err());
  }

  @Test
  void aNodeHasAGroupForEachTypeOfItsDevices() throws IOException {
    assertEquals(
        List.of("gpu1 gpu:a100:8", "gpu2 gpu:a100:2,gpu:t4:2", "gpu3 gpu:tesla_k20m:2"),
        gres("--per-gpu", "2"));
  }

  @Test
  void typesAreForcedForAllOrByName() throws IOException {
    assertEquals("gpu2 gpu:mixed:4", gres("--per-gpu=2", "--type=mixed").get(1));
    assertEquals(
        List.of("gpu1 gpu:big:8", "gpu2 gpu:big:2,gpu:t4:2", "gpu3 gpu:k20m:2"),
        gres("--per-gpu=2", "--type", "A100=big", "--type", "tesla_k20m=k20m"));
    assertRefused(1, "--type names 'h100', which is", "--per-gpu=2", "--type", "H100=h");
    assertRefused(
        1, "is for all devices, and there are others", "--per-gpu=2", "--type=a", "--type=b");
    assertRefused(1, "is the second for this name", "--per-gpu=2", "--type=T4=a", "--type=t4=b");
  }

  @Test
  void withoutATypeDevicesAreCountedTogether() throws IOException {
    assertEquals(
        List.of("gpu1 gpu:8", "gpu2 gpu:4", "gpu3 gpu:2"), gres("--per-gpu=2", "--type", ""));
    assertEquals(
        List.of("gpu1 gpu:a100:8", "gpu2 gpu:a100:2,gpu:t4:2", "gpu3 gpu:2"),
        gres("--per-gpu=2", "--type", "Tesla K20m="));
  }

  /** A job that names no type gets GPUs of any, in Slurm's count too. */
  @Test
  void withoutATypeThereIsNoOtherOnTheNode() throws IOException {
    String refusal = "node gpu2 would have GPUs without a type beside those of type ";
    assertRefused(1, refusal + "t4", "--per-gpu=2", "--type", "A100=");
    assertRefused(
        1, refusal + "full", "--rule", "nodes=gpu2,per-gpu=2,keep-exclusive=1", "--type", "");
  }

  @Test
  void theFirstRuleThatMatchesCountsAndTheOptionsComeLast() throws IOException {
    assertEquals(
        List.of("gpu1 gpu:a100:48", "gpu2 gpu:a100:3,gpu:t4:5", "gpu3 gpu:tesla_k20m:2"),
        gres(
            "--per-gpu=2",
            "--rule=nodes=gpu[1,9],type=a100,per-gpu=12",
            "--rule=type=A100,per-gpu=3",
            "--rule=nodes=gpu[2-3],type=t4,per-gpu=5"));
  }

  @Test
  void aRuleNamesItsOrderAndTakesTheOptionsElse() throws IOException {
    JsonNode nodes =
        json("--per-gpu=2", "--order=pack", "--rule=nodes=gpu1,order=spread,share=4G").get("nodes");
    assertEquals("spread", nodes.get(0).get("order").asText());
    assertEquals(4, nodes.get(0).get("sharesPerDevice").asInt());
    assertEquals("pack", nodes.get(1).get("order").asText());
    assertEquals(
        "pack",
        json("--per-gpu=2", "--order=pack", "--rule=nodes=gpu1")
            .get("nodes")
            .get(0)
            .get("order")
            .asText());
  }

  @Test
  void whatNoRuleIsForIsLeftAloneAndNamed() throws IOException {
    JsonNode root = json("--rule=nodes=gpu[2-3],type=a100,per-gpu=4");
    assertEquals(1, root.get("nodes").size());
    assertEquals("gpu:a100:4,gpu:t4:1", root.get("nodes").get(0).get("gresAfter").asText());
    String notes = root.get("notes").toString();
    assertTrue(notes.contains("no rule is for gpu[1,3]: left as it is"), notes);
    assertTrue(notes.contains("no rule is for type t4 of gpu2: its devices stay whole"), notes);
  }

  @Test
  void aRuleForNothingIsNamed() {
    assertRefused(
        1,
        "rule 'nodes=gpu9,per-gpu=2' is for no device of the facts that is left to it: correct"
            + " nodes= or type= (the types are a100, t4, tesla_k20m)",
        "--per-gpu=2",
        "--rule=nodes=gpu9,per-gpu=2");
    assertRefused(
        1,
        "rule 'type=t4,per-gpu=3' is for no device",
        "--rule=nodes=gpu2,per-gpu=2",
        "--rule=type=t4,per-gpu=3");
  }

  @Test
  void aRuleThatCannotBeReadIsNamed() {
    assertRefused(
        1,
        "rule 'nodes=gpu1,gpu2,per-gpu=2', 'gpu2' is not KEY=VALUE: ",
        "--rule=nodes=gpu1,gpu2,per-gpu=2");
    assertRefused(
        1,
        "rule 'node=gpu1,per-gpu=2', the key 'node' is not known: use nodes, ",
        "--rule=node=gpu1,per-gpu=2");
    assertRefused(1, "rule 'nodes=gpu1', nothing says how many shares: ", "--rule=nodes=gpu1");
    assertRefused(1, "it has two numbers of shares", "--rule=per-gpu=2,share=4G");
    assertRefused(1, "the key per-gpu is set twice", "--rule=per-gpu=2,per-gpu=3");
    assertRefused(1, "per-gpu is 300: use a number from 1 to 256", "--rule=per-gpu=300");
    assertRefused(1, "per-gpu 'x' is not a number", "--rule=per-gpu=x");
    assertRefused(1, "order 'up' is not known", "--rule=per-gpu=2,order=up");
    assertRefused(1, "per-cpu has the value yes: write per-cpu alone", "--rule=per-cpu=yes");
    assertRefused(
        2, "no number of shares: give --per-gpu, --per-cpu, --share, --by-memory or --rule");
  }

  @Test
  void theLastDevicesStayWhole() throws IOException {
    JsonNode node =
        json("--rule=nodes=gpu1,per-gpu=3,order=pack", "--keep-exclusive=1").get("nodes").get(0);
    assertEquals("gpu:a100:9,gpu:full:1", node.get("gresAfter").asText());
    assertEquals("[0,1,2]", node.get("devices").get(0).get("virtual").toString());
    assertEquals("[9]", node.get("devices").get(3).get("virtual").toString());
    assertEquals("full", node.get("groups").get(1).get("type").asText());
    assertEquals(1, node.get("groups").get(1).get("sharesPerDevice").asInt());
  }

  @Test
  void theTypeOfWholeDevicesIsChosen() throws IOException {
    assertEquals(
        List.of("gpu1 gpu:a100:6,gpu:whole:2"),
        gres("--rule=nodes=gpu1,per-gpu=3,keep-exclusive=2,exclusive-type=whole"));
    assertRefused(
        1,
        "node gpu1 has two groups with the type a100",
        "--rule=nodes=gpu1,per-gpu=3,keep-exclusive=2,exclusive-type=a100");
  }

  @Test
  void aDeviceHasToBeLeftToShare() {
    assertRefused(
        1,
        "node gpu2 has 1 devices of type a100, and 1 shall stay exclusive: keep at most 0",
        "--per-gpu=2",
        "--rule=nodes=gpu1,per-gpu=2",
        "--keep-exclusive=1");
  }

  @Test
  void perCpuIsForEachDeviceAndNeedsTheCpus() throws IOException {
    assertEquals(
        List.of("gpu1 gpu:a100:64", "gpu2 gpu:a100:8,gpu:t4:8"),
        gres("--rule=nodes=gpu[1-2],per-cpu"));
    assertRefused(1, "node gpu3 has no number of cpus in its facts: ", "--per-cpu");
  }

  @Test
  void cpusComeFromSlurmd() throws IOException {
    Path output =
        Files.writeString(
            folder.resolve("slurmd.txt"),
            """
            NodeName=gpu3 CPUs=12 Boards=1 SocketsPerBoard=2 CoresPerSocket=3 ThreadsPerCore=2 \
            RealMemory=64000
            UpTime=10-02:03:04
            slurmd: Considering each NUMA node as a socket
            NodeName=gpu1 CPUs=16 Boards=1
            NodeName=gpu[7] CPUs=4
            NodeName=login CPUs=4 Boards=1
            """);
    JsonNode root = json("--per-cpu", "--slurmd-c", output.toString());
    assertEquals("gpu:tesla_k20m:12", root.get("nodes").get(2).get("gresAfter").asText());
    String notes = root.get("notes").toString();
    assertTrue(
        notes.contains("has gpu[7],login, but there are no facts of it: not planned"), notes);
  }

  @Test
  void cpusThatContradictAreRefused() throws IOException {
    Path output = folder.resolve("slurmd.txt");
    Files.writeString(output, "NodeName=gpu1 CPUs=32 Boards=1\n");
    assertRefused(
        1,
        "node gpu1 has 16 cpus in its facts, and 32 in file " + output,
        "--per-gpu=2",
        "--slurmd-c=" + output);
    Files.writeString(output, "NodeName=gpu3 CPUs=32\nNodeName=gpu3 CPUs=16\n");
    assertRefused(1, "node gpu3 has 32 CPUs and 16 CPUs", "--per-gpu=2", "--slurmd-c=" + output);
    Files.writeString(output, "NodeName=gpu3 Boards=2\n");
    assertRefused(1, "node gpu3 has no CPUs=", "--per-gpu=2", "--slurmd-c=" + output);
    Files.writeString(output, "hello\n");
    assertRefused(1, "has no line with NodeName=", "--per-gpu=2", "--slurmd-c=" + output);
  }

  @Test
  void aFileHasOneNodeOrSeveral() throws IOException {
    String two = facts("a", 1, "T4").toJson() + facts("b", 1, "T4").toJson();
    for (String text : List.of(two, "[" + two.replace("}\n{", "},\n{") + "]")) {
      Path file = Files.writeString(folder.resolve("two.json"), text);
      CommandMain.Result result =
          CommandMain.run("gres", "plan", "--facts", file.toString(), "--per-gpu=2");
      assertEquals(0, result.exitCode(), result.err());
      assertTrue(
          result.out().contains("NodeName=[a-b] Name=gpu Type=t4")
              || result.out().contains("NodeName=a,b Name=gpu Type=t4"),
          result.out());
    }
  }

  @Test
  void aFolderWithoutFactsIsNamed() throws IOException {
    Path empty = Files.createDirectories(folder.resolve("empty"));
    CommandMain.Result result =
        CommandMain.run("gres", "plan", "--facts", empty.toString(), "--per-gpu=2");
    assertEquals(1, result.exitCode());
    assertTrue(result.err().contains("folder " + empty + " has no file *.json"), result.err());
  }

  @Test
  void aDeviceInMigModeCannotBeShared() throws IOException {
    NodeFacts node =
        new NodeFacts(
            "gpu1", 4, List.of(device(0, "A100", null, null), device(1, "A100", null, true)));
    Files.writeString(facts.resolve("gpu1.json"), node.toJson());
    assertRefused(
        1, "node gpu1, device 1 (/dev/nvidia1) is in MIG mode and cannot be shared", "--per-gpu=2");
    assertEquals(2, gres("--rule=nodes=gpu[2-3],per-gpu=2").size());
  }

  @Test
  void coresNeedToBeKnown() throws IOException {
    assertRefused(
        1,
        "the cores near device 0 (/dev/nvidia0) are not known: add",
        "--per-gpu=2",
        "--affinity=cores");
    NodeFacts node = new NodeFacts("gpu1", 4, List.of(device(0, "A100", "0-7", null)));
    Files.writeString(facts.resolve("gpu1.json"), node.toJson());
    JsonNode root =
        json("--rule=nodes=gpu1,per-gpu=2", "--affinity=cores", "--slurm-version=22.05.8");
    String text = root.get("files").get("gres.conf").asText();
    assertTrue(text.contains("/dev/nvidiactl Cores=0-7\n"), text);
    assertFalse(text.contains("Links="), text);
    assertTrue(root.get("notes").toString().contains("Cores= and no Links=: a job's CPUs"));
    assertTrue(json("--per-gpu=2").get("notes").toString().contains("Links= and no Cores=: a job"));
    assertRefused(
        2,
        "--affinity and --no-links do not go together",
        "--per-gpu=2",
        "--affinity=cores",
        "--no-links");
  }

  @Test
  void coresComeFromTheGresConfInPlace() throws IOException {
    Path old =
        Files.writeString(
            folder.resolve("gres.conf"),
            "NodeName=gpu1 Name=gpu Type=a100 File=/dev/nvidia[0-3] Cores=0-15\n");
    String text =
        json(
                "--rule=nodes=gpu1,per-gpu=2",
                "--affinity=cores",
                "--slurm-version=22.05.8",
                "--gres-conf=" + old)
            .get("files")
            .get("gres.conf")
            .asText();
    assertTrue(text.contains("/dev/nvidiactl Cores=0-15\n"), text);
    assertFalse(text.contains("File=/dev/nvidia["), text);
  }

  @Test
  void memoryIsAGresOfItsOwn() throws IOException {
    JsonNode root =
        json(
            "--per-gpu=2",
            "--keep-exclusive=1",
            "--rule=nodes=gpu1",
            "--gpumem",
            "--rule=per-gpu=2,keep-exclusive=0");
    assertEquals(
        "gpu:a100:6,gpu:full:1,gpumem:49152M", root.get("nodes").get(0).get("gresAfter").asText());
    String gresConf = root.get("files").get("gres.conf").asText();
    assertTrue(gresConf.contains("NodeName=gpu1 Name=gpumem Count=49152M Flags=CountOnly\n"));
    assertTrue(
        root.get("files").get("slurm-schedgpu.conf").asText().contains("GresTypes=gpu,gpumem\n"));
  }

  @Test
  void slurmWithoutMultipleFilesIsRefused() throws IOException {
    assertRefused(
        1,
        "Slurm 20.02 has no MultipleFiles= in gres.conf, which shares are written with: use Slurm"
            + " 20.11 or newer",
        "--per-gpu=2",
        "--slurm-version=20.02.7");
    assertRefused(1, "Slurm version 'new' cannot be read", "--per-gpu=2", "--slurm-version=new");
    String old = json("--per-gpu=2", "--slurm-version=20.11").get("notes").toString();
    assertTrue(old.contains("what is said of 20.11 is from its source and manual"), old);
    assertTrue(old.contains("before Slurm 21.08 the GPU variables of Prolog and Epilog"), old);
    String now = json("--per-gpu=2", "--slurm-version=22.05.8").get("notes").toString();
    assertFalse(now.contains("Slurm 2"), now);
    String next = json("--per-gpu=2", "--slurm-version=23.11.4-1").get("notes").toString();
    assertTrue(
        next.contains(
            "schedGPU is tested with Slurm 22.05, 24.11, 26.05; with 23.11 most of its tests ran"),
        next);
    assertTrue(
        next.contains("from Slurm 23.11 on scontrol reconfigure takes a changed count at once"),
        next);
  }

  /** The same facts for two releases: which lines make each of them choose different devices. */
  @Test
  void linksAreThoseOfTheVersion() throws IOException {
    String old = json("--per-gpu=2", "--slurm-version=23.11").at("/files/gres.conf").asText();
    assertTrue(old.contains("1 another device, which Slurm prefers"), old);
    String now = json("--per-gpu=2", "--slurm-version=24.05.1").at("/files/gres.conf").asText();
    assertTrue(now.contains("# Links, for Slurm 24.05 and newer"), now);
  }
}
