package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.common.LuaCheck;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;

/** {@code plan --by-memory}: memory as Slurm's shards, in the files of a cluster of three nodes. */
class PlanByMemoryTest {
  @TempDir private Path folder;
  private Path facts;

  @BeforeEach
  void writeFiles() throws IOException {
    folder = folder.toRealPath();
    facts = Files.createDirectories(folder.resolve("facts"));
    write(
        "slurm.conf",
        """
        ClusterName=x
        SlurmctldHost=localhost
        GresTypes=gpu,nic
        NodeName=gpu[1-2] CPUs=16 Gres=gpu:a100:2,nic:1
        NodeName=gpu3 CPUs=16 Gres=gpu:a100:2
        PartitionName=all Nodes=ALL
        """);
    for (int node = 1; node <= 3; node++) {
      Files.writeString(
          facts.resolve("gpu" + node + ".json"),
          new NodeFacts("gpu" + node, 16, Fixtures.devices(2)).toJson());
    }
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private CommandMain.Result plan(Path ofFacts, String... arguments) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "gres",
                "plan",
                "--facts=" + ofFacts,
                "--slurm-conf=" + folder.resolve("slurm.conf"),
                "--slurm-version=22.05.8",
                "--type=a100"));
    all.addAll(List.of(arguments));
    return CommandMain.run(all.toArray(new String[0]));
  }

  private JsonNode json(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    CommandMain.Result result = plan(facts, all.toArray(new String[0]));
    assertEquals(0, result.exitCode(), result.err());
    return new ObjectMapper().readTree(result.out());
  }

  private JsonNode files(String... arguments) throws IOException {
    return json(arguments).get("files");
  }

  private void assertRefused(int exitCode, String part, Path ofFacts, String... arguments) {
    CommandMain.Result result = plan(ofFacts, arguments);
    assertEquals(exitCode, result.exitCode(), result.out());
    assertTrue(result.err().contains(part), result.err());
  }

  private String warnings(String... arguments) throws IOException {
    return json(arguments).get("warnings").toString();
  }

  private static String withoutComments(JsonNode file) {
    return file.asText()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  @Test
  void aDeviceIsWholeAndItsMemoryIsShards() throws IOException {
    JsonNode files = files("--by-memory", "--unit=512M");
    assertEquals(
        """
        NodeName=gpu[1-3] Name=gpu Type=a100 File=/dev/nvidia0
        NodeName=gpu[1-3] Name=gpu Type=a100 File=/dev/nvidia1
        NodeName=gpu[1-3] Name=shard Count=9 File=/dev/nvidia0
        NodeName=gpu[1-3] Name=shard Count=9 File=/dev/nvidia1
        """,
        withoutComments(files.get("gres.conf")));
    String slurmConf = files.get("slurm.conf").asText();
    assertTrue(slurmConf.contains("GresTypes=gpu,nic,shard\n"), slurmConf);
    assertTrue(slurmConf.contains("gpu[1-2] CPUs=16 Gres=gpu:a100:2,shard:18,nic:1\n"), slurmConf);
    assertTrue(slurmConf.contains("gpu3 CPUs=16 Gres=gpu:a100:2,shard:18\n"), slurmConf);
    String devices = files.get("devices.conf").asText();
    assertTrue(devices.contains("Virtual=0 Name=\"Tesla K20m\" ShardBytes=536870912\n"), devices);
    assertTrue(devices.contains("Virtual=1 Name="), devices);
  }

  @Test
  void overbookingMultipliesTheShards() throws IOException {
    JsonNode plan = json("--by-memory", "--unit=512M", "--overbook=1.5");
    assertTrue(plan.get("files").get("gres.conf").asText().contains("Name=shard Count=13 File"));
    assertEquals(26, plan.get("nodes").get(0).get("shards").asInt());
    assertEquals(1, plan.get("nodes").get(0).get("sharesPerDevice").asInt());
  }

  private void secondDeviceOfGpu3Has16GiB() throws IOException {
    List<Device> devices = new ArrayList<>(Fixtures.devices(2));
    Device small = devices.get(1);
    devices.set(
        1,
        new Device(
            small.index(),
            small.uuid(),
            small.file(),
            16L << 30,
            small.reservedBytes(),
            small.contextBytes(),
            small.name()));
    Files.writeString(facts.resolve("gpu3.json"), new NodeFacts("gpu3", 16, devices).toJson());
  }

  @Test
  void aLargerDeviceOfTheSameTypeHasMoreShards() throws IOException {
    secondDeviceOfGpu3Has16GiB();
    JsonNode plan = json("--by-memory");
    String gresConf = plan.get("files").get("gres.conf").asText();
    assertTrue(
        gresConf.contains(
            "gpu3 Name=shard Count=4 File=/dev/nvidia0\n"
                + "NodeName=gpu3 Name=shard Count=15 File=/dev/nvidia1\n"),
        gresConf);
    String slurmConf = plan.get("files").get("slurm.conf").asText();
    assertTrue(slurmConf.contains("gpu3 CPUs=16 Gres=gpu:a100:2,shard:19\n"), slurmConf);
    assertEquals(19, plan.get("nodes").get(2).get("shards").asInt());
    String text = plan(facts, "--by-memory").out();
    assertTrue(text.contains("1 x 4 + 1 x 15"), text);
    assertTrue(text.contains("the largest request is shard:15"), text);
  }

  /** 19 shards of two devices, and 20: a mean is no price of either device. */
  @Test
  void noOneWeightIsRightForUnlikeDevices() throws IOException {
    secondDeviceOfGpu3Has16GiB();
    write(
        "slurm.conf",
        Files.readString(folder.resolve("slurm.conf"))
            .replace("Nodes=ALL", "Nodes=gpu3 TRESBillingWeights=CPU=1.0,GRES/gpu=2.0"));
    String unequal = plan(facts, "--by-memory", "--unit=512M").out();
    assertTrue(unequal.contains("(shards of a GPU: a mix on gpu3)"), unequal);
  }

  @Test
  void theTextShowsShardsAndSaysWhatSlurmCannotDo() {
    CommandMain.Result result = plan(facts, "--by-memory");
    assertEquals(0, result.exitCode(), result.err());
    assertTrue(result.out().contains("2 x 4"), result.out());
    assertTrue(result.out().contains("the largest request is shard:4"), result.out());
    assertTrue(result.out().contains("shard and gpu exclude each other"), result.out());
    assertFalse(result.out().contains("are shares now"), result.out());
  }

  @Test
  void aSecondPlanReplacesTheShards() throws IOException {
    JsonNode first = files("--by-memory");
    write("gres.conf", first.get("gres.conf").asText());
    write("slurm.conf", first.get("slurm.conf").asText());
    JsonNode second = files("--by-memory", "--overbook=2");
    String gresConf = second.get("gres.conf").asText();
    assertTrue(gresConf.contains("Name=shard Count=9 "), gresConf);
    assertFalse(gresConf.contains("Count=4 "), gresConf);
    assertTrue(second.get("slurm.conf").asText().contains("gpu:a100:2,shard:18,nic:1"));
  }

  @Test
  void theWayBackToVirtualGpusNeedsRemoveShards() throws IOException {
    JsonNode first = files("--by-memory");
    write("gres.conf", first.get("gres.conf").asText());
    write("slurm.conf", first.get("slurm.conf").asText());
    assertRefused(1, "take it out of all nodes with --remove-shards", facts, "--per-gpu=4");
    JsonNode files = files("--per-gpu=4", "--remove-shards");
    assertTrue(files.get("slurm.conf").asText().contains("GresTypes=gpu,nic\n"));
    assertFalse(files.get("gres.conf").asText().contains("Name=shard"));
    assertFalse(files.get("devices.conf").asText().contains("ShardBytes"));
  }

  @Test
  void virtualGpusOfAnotherNodeAreRefused() throws IOException {
    write("gres.conf", files("--per-gpu=4").get("gres.conf").asText());
    assertRefused(
        1,
        "node gpu[2-3] keeps GPUs with MultipleFiles=, which Slurm cannot have beside shards",
        facts.resolve("gpu1.json"),
        "--by-memory");
  }

  @Test
  void badValuesAreNamed() {
    assertRefused(1, "--overbook 'x' is no factor", facts, "--by-memory", "--overbook=x");
    assertRefused(1, "--overbook is 17", facts, "--by-memory", "--overbook=17");
    assertRefused(1, "--unit is 0 bytes", facts, "--by-memory", "--unit=0");
    assertRefused(1, "a shard of 8.0 GiB does not fit", facts, "--by-memory", "--unit=8G");
    assertRefused(2, "--unit needs --by-memory", facts, "--per-gpu=2", "--unit=1G");
    assertRefused(2, "--by-memory and --gpumem do not", facts, "--by-memory", "--gpumem");
    assertRefused(2, "--by-memory and --affinity", facts, "--by-memory", "--affinity=links");
    assertRefused(2, "--by-memory and --keep-ex", facts, "--by-memory", "--keep-exclusive=1");
    assertRefused(2, "--by-memory and --rule", facts, "--by-memory", "--rule=nodes=gpu1,per-gpu=2");
    assertRefused(2, "mutually exclusive", facts, "--by-memory", "--per-gpu=2");
  }

  @Test
  void theCliFilterAsksForShardsOfTheUnit() throws IOException {
    JsonNode files = files("--by-memory", "--unit=512M", "--cli-filter");
    String lua = files.get("cli_filter.lua").asText();
    assertTrue(lua.contains("local kind, unit_mib = \"shard\", 512\n"), lua);
    assertTrue(files.get("slurm.conf").asText().contains("CliFilterPlugins=cli_filter/lua\n"));
    lua = files("--per-gpu=4", "--gpumem", "--cli-filter").get("cli_filter.lua").asText();
    assertTrue(lua.contains("local kind, unit_mib = \"gpumem\", 0\n"), lua);
    lua = files("--per-gpu=4", "--cli-filter").get("cli_filter.lua").asText();
    assertTrue(lua.contains("local kind, unit_mib = \"gpu\", 0\n"), lua);
  }

  @Test
  void whatTheSiteHasInItsCliFilterStays() throws IOException {
    String before = "function slurm_cli_pre_submit(o, n)\n  return 0\nend\nreturn slurm.SUCCESS\n";
    write("cli_filter.lua", before);
    String lua = files("--by-memory", "--cli-filter").get("cli_filter.lua").asText();
    assertTrue(lua.startsWith("function slurm_cli_pre_submit(o, n)\n"), lua);
    assertTrue(lua.endsWith("-- END schedgpu cli_filter\nreturn slurm.SUCCESS\n"), lua);
    write("cli_filter.lua", lua);
    assertFalse(
        files("--by-memory", "--cli-filter", "--unit=512M")
            .get("cli_filter.lua")
            .asText()
            .contains("\"shard\", 1024"));
    write("cli_filter.lua", lua.replace("-- END schedgpu cli_filter", ""));
    assertRefused(1, "without the other", facts, "--by-memory", "--cli-filter");
  }

  /** A file that lay there and was not in use. */
  @Test
  void aCliFilterThatIsSwitchedOnIsSaid() throws IOException {
    write("cli_filter.lua", "-- ours\nfunction slurm_cli_pre_submit(o, n)\n  return 0\nend\n");
    String said = warnings("--by-memory", "--cli-filter");
    assertTrue(
        said.contains("was off (CliFilterPlugins= does not name lua) and is switched"), said);
    write("cli_filter.lua", "-- a comment alone\n");
    said = warnings("--by-memory", "--cli-filter");
    assertFalse(said.contains("was off"), said);
  }

  @Test
  void aCliFilterThatDoesNotLoadIsRefused() throws IOException {
    assumeTrue(LuaCheck.installed().isPresent(), "no Lua is installed");
    write("cli_filter.lua", "function slurm_cli_pre_submit(opts, pack)\n  return slurm.SUCCESS\n");
    assertRefused(1, "'end' expected", facts, "--by-memory", "--cli-filter");
    assertRefused(1, "every srun, sbatch and salloc", facts, "--by-memory", "--cli-filter");
    write("cli_filter.lua", "require('no.such.module')\n");
    String said = warnings("--by-memory", "--cli-filter");
    assertTrue(said.contains("ends with an error when Lua loads it without Slurm"), said);
  }

  /** The planner may be root: others must not choose what it runs. */
  @Test
  void aCliFilterThatOthersMayWriteIsNotRun() throws IOException {
    assumeTrue(LuaCheck.installed().isPresent(), "no Lua is installed");
    write("cli_filter.lua", "error('run')\n");
    Path file = folder.resolve("cli_filter.lua");
    for (String mode : List.of("rw-r--r--", "rw-rw-r--", "rw-r--rw-")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
      String said = warnings("--by-memory", "--cli-filter");
      assertEquals(mode.indexOf('w', 2) < 0, said.contains("ends with an error"), mode + said);
    }
  }

  @Test
  void linesOfSchedGpuAloneAreNotSwitchedOnUnread() throws IOException {
    String ours = "-- BEGIN schedgpu cli_filter\nlocal x = 1\n-- END schedgpu cli_filter\n";
    write("cli_filter.lua", ours);
    assertFalse(warnings("--by-memory", "--cli-filter").contains("was off"));
    write("cli_filter.lua", ours + "local y = 2\n");
    assertTrue(warnings("--by-memory", "--cli-filter").contains("was off"));
  }
}
