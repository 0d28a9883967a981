package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.schedgpu.gres.Fixtures.assertRefused;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.LuaCheck;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;

/** What the installed slurmd reports about new files. */
class SlurmCheckTest {
  private static final Map<String, String> TWELVE = Map.of("gpu1", "gpu:k20m:12");

  @TempDir Path folder;
  private SlurmCheck check;
  private Map<String, byte[]> files;

  @BeforeEach
  void findSlurm() throws IOException {
    try {
      check = SlurmCheck.installed();
    } catch (GresException e) {
      assumeTrue(false, e.getMessage());
    }
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:k20m:12\n");
    GresPlan plan = new GresPlan(List.of(Fixtures.node(2, 6, Order.SPREAD)));
    files = Map.of("gres.conf", bytes(GresConfigGenerator.generate(plan).gresConf()));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String slurmConf(Path folder, String nodes) {
    return """
    ClusterName=check
    SlurmctldHost=localhost
    AuthType=auth/none
    CredType=cred/none
    GresTypes=gpu
    slurmdSpoolDir = %1$s/spool
    SlurmdLogFile=%1$s/live.log
    SlurmdParameters=config_overrides
    %2$sPartitionName=all Nodes=ALL
    """
        .formatted(folder, nodes);
  }

  private void writeSlurmConf(String nodes) throws IOException {
    Files.writeString(folder.resolve("slurm.conf"), slurmConf(folder, nodes));
  }

  private void assertComplains(String complaint) {
    GresException e = assertThrows(GresException.class, () -> check.run(folder, files, TWELVE));
    assertTrue(
        e.getMessage()
            .startsWith(
                "schedgpu gres: slurmd would not accept the files, nothing was changed: correct"
                    + " this and repeat\n"
                    + "gpu1: "),
        e.getMessage());
    assertTrue(e.getMessage().contains(complaint), e.getMessage());
  }

  /** The devices of the plan are not on this host, and slurmd would wait for them. */
  @Test
  void filesThatFitAreAcceptedAndNothingIsTouched() throws IOException {
    assertEquals(
        List.of("slurmd -G reads gpu:k20m:12 of node gpu1"), check.run(folder, files, TWELVE));
    try (Stream<Path> all = Files.list(folder)) {
      assertEquals(List.of(folder.resolve("slurm.conf")), all.toList());
    }
  }

  @Test
  void countAndTypeOfSlurmConfMustFit() throws IOException {
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:k20m:2\n");
    assertComplains(": A line in gres.conf for GRES gpu:k20m has"); // WARNING, or warning of 24.11
    assertComplains(
        "gpu1: slurmd sees 2 of gpu:k20m:12: Gres= of the node in slurm.conf must be gpu:k20m:12");
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:k40:12\n");
    assertComplains("gpu1: slurmd sees 0 of gpu:k20m:12: ");
  }

  @Test
  void newSlurmConfIsReadInsteadOfTheOld() throws IOException {
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:k20m:2\n");
    Map<String, byte[]> both =
        Map.of(
            "gres.conf",
            files.get("gres.conf"),
            "slurm.conf",
            bytes(slurmConf(folder, "Include nodes.conf\n")));
    Files.writeString(folder.resolve("nodes.conf"), "NodeName=gpu1 CPUs=16 Gres=gpu:k20m:12\n");
    assertEquals(1, check.run(folder, both, TWELVE).size());
  }

  /**
   * By a name relative to its folder or by its whole path: the copy reads the new file, beside the
   * unchanged ones.
   */
  @Test
  void newFileOfAFolderBelowIsReadInsteadOfTheOld() throws IOException {
    Files.createDirectories(folder.resolve("nodes/more"));
    Files.writeString(folder.resolve("nodes/gpu.conf"), "Bogus=1\n");
    // Slurm reads it from the folder of the including file, from 23.02 on from that of slurm.conf.
    Files.createDirectories(folder.resolve("more"));
    Files.writeString(folder.resolve("more/cpu.conf"), "NodeName=cpu1\n");
    Files.writeString(folder.resolve("nodes/more/cpu.conf"), "NodeName=cpu1\n");
    Map<String, byte[]> both =
        Map.of(
            "gres.conf",
            files.get("gres.conf"),
            "nodes/gpu.conf",
            bytes("Include more/cpu.conf\nNodeName=gpu1 CPUs=16 Gres=gpu:k20m:12\n"));
    writeSlurmConf("Include nodes/gpu.conf\n");
    assertEquals(1, check.run(folder, both, TWELVE).size());
    writeSlurmConf("include  " + folder + "/nodes/gpu.conf\n");
    assertEquals(1, check.run(folder, both, TWELVE).size());
    assertEquals("Bogus=1\n", Files.readString(folder.resolve("nodes/gpu.conf")));
  }

  @Test
  void everyTypeOfANodeIsCounted() throws IOException {
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:k20m:12\n");
    GresException e =
        assertThrows(
            GresException.class,
            () -> check.run(folder, files, Map.of("gpu1", "gpu:k20m:12,gpu:full:1")));
    assertTrue(e.getMessage().contains("slurmd sees 0 of gpu:full:1: Gres="), e.getMessage());
  }

  @Test
  void devicesWithoutATypeAreCounted() throws IOException {
    NodePlan node = new NodePlan("gpu1", Fixtures.devices(2), 6, "", Order.SPREAD, true);
    files =
        Map.of(
            "gres.conf",
            bytes(GresConfigGenerator.generate(new GresPlan(List.of(node))).gresConf()));
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:12\n");
    assertEquals("gpu:12", node.gres());
    assertEquals(
        List.of("slurmd -G reads gpu:12 of node gpu1"),
        check.run(folder, files, Map.of("gpu1", "gpu:12")));
    GresException e =
        assertThrows(GresException.class, () -> check.run(folder, files, Map.of("gpu1", "gpu:13")));
    assertTrue(e.getMessage().contains("slurmd sees 12 of gpu:13: Gres="), e.getMessage());
  }

  /** It may come from anywhere, so it is not run. */
  @Test
  void cliFilterIsCompiledAndNotRun() {
    assumeTrue(LuaCheck.installed().isPresent(), "no Lua is installed");
    Path trace = folder.resolve("trace");
    Map<String, byte[]> all = new HashMap<>(files);
    all.put("cli_filter.lua", bytes("io.open('%s', 'w'):close()\n".formatted(trace)));
    assertEquals("Lua reads cli_filter.lua", check.run(folder, all, TWELVE).get(0));
    assertFalse(Files.exists(trace));
    all.put("cli_filter.lua", bytes("function slurm_cli_pre_submit(o, p)\n"));
    GresException told = assertThrows(GresException.class, () -> check.run(folder, all, TWELVE));
    assertTrue(told.getMessage().contains("every srun, sbatch and salloc"), told.getMessage());
  }

  @Test
  void severalDevicesThatThisHostLacksAreNotOneFile() throws IOException {
    Files.writeString(
        folder.resolve("slurm.conf"),
        slurmConf(folder, "NodeName=gpu1 CPUs=16 Gres=gpu:a100:4,shard:64\n")
            .replace("GresTypes=gpu", "GresTypes=gpu,shard"));
    StringBuilder lines = new StringBuilder();
    for (int device = 70; device < 74; device++) {
      lines.append("NodeName=gpu1 Name=gpu Type=a100 File=/dev/nvidia%d\n".formatted(device));
      lines.append("NodeName=gpu1 Name=shard Count=16 File=/dev/nvidia%d\n".formatted(device));
    }
    Map<String, String> wanted = Map.of("gpu1", "gpu:a100:4,shard:64");
    List<String> well = List.of("slurmd -G reads gpu:a100:4,shard:64 of node gpu1");
    assertEquals(well, check.run(folder, Map.of("gres.conf", bytes(lines.toString())), wanted));
    String range =
        "NodeName=gpu1 Name=gpu Type=a100 File=/dev/nvidia[70-73]\n"
            + "NodeName=gpu1 Name=shard Count=64\n";
    assertEquals(well, check.run(folder, Map.of("gres.conf", bytes(range)), wanted));
    String twice =
        lines
            .toString()
            .replace("gpu Type=a100 File=/dev/nvidia71", "gpu Type=a100 File=/dev/nvidia70");
    GresException e =
        assertThrows(
            GresException.class,
            () -> check.run(folder, Map.of("gres.conf", bytes(twice)), wanted));
    assertTrue(
        e.getMessage().contains("duplicate device file name (/dev/nvidia70)"), e.getMessage());
    assertFalse(e.getMessage().contains("Gres= of the node in slurm.conf"), e.getMessage());
  }

  @Test
  void unknownKeyAndNodeAreReported() throws IOException {
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:k20m:12\nBogus=1\n");
    assertComplains("gpu1: error: _parse_next_key: Parsing error at unrecognized key: Bogus");
    writeSlurmConf("NodeName=gpu1 CPUs=16\nNodeName=gpu1 CPUs=16 Gres=gpu:k20m:12\n");
    assertComplains("gpu1: fatal: Duplicated NodeHostName gpu1 in config file");
    writeSlurmConf("NodeName=gpu2 CPUs=16 Gres=gpu:k20m:12\n");
    assertComplains("gpu1: error: slurmd -G ended with exit code 1");
    files = Map.of("gres.conf", bytes("NodeName=gpu1 Name=gpu Foo=1\n"));
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:k20m:12\n");
    assertComplains("gpu1: fatal: error opening/reading " + folder + "/gres.conf");
  }

  /** slurmd maps Cores= to those of its own host, for any node. */
  private void coresOfAGpuNode(String host) throws IOException {
    Files.writeString(
        folder.resolve("slurm.conf"),
        slurmConf(
                folder,
                "NodeName=gpu1 NodeHostname=%s Sockets=2 CoresPerSocket=512 Gres=gpu:k20m:12\n"
                    .formatted(host))
            .replace("SlurmdParameters=config_overrides\n", ""));
    String text = new String(files.get("gres.conf"), StandardCharsets.UTF_8);
    files = Map.of("gres.conf", bytes(text.replaceAll("Links=\\S+", "Cores=1000-1023")));
  }

  @Test
  void coresThatThisHostLacksAreNoFaultOfTheFiles() throws IOException {
    coresOfAGpuNode("gpu1");
    assertEquals(
        List.of(
            "slurmd -G reads gpu:k20m:12 of node gpu1",
            "Cores= of gpu1 cannot be judged here: slurmd compares them with the cores of this"
                + " host"),
        check.run(folder, files, TWELVE));
  }

  @Test
  void coresThatTheNodeItselfLacksAreAFault() throws IOException {
    coresOfAGpuNode(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
    assertComplains("gpu1: error: Invalid GRES data for gpu, Cores=1000-1023");
  }

  @Test
  void whatSlurmdSaysOfTheFilesInPlaceTooIsNoFault() throws IOException {
    coresOfAGpuNode(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
    Files.writeString(
        folder.resolve("gres.conf"),
        "NodeName=gpu1 Name=gpu Type=k20m File=/dev/nvidia0 Cores=1000-1023\n");
    List<String> checked = check.run(folder, files, TWELVE);
    assertTrue(
        checked.contains(
            "slurmd says of the files in place, too: error: Invalid GRES data for gpu,"
                + " Cores=1000-1023"),
        checked.toString());
  }

  /** An error that ends slurmd counts, even if the files had it before. */
  @Test
  void whatEndsSlurmdIsAFaultOfOldFilesToo() throws IOException {
    files = Map.of("gres.conf", bytes("NodeName=gpu1 Name=gpu Foo=1\n"));
    Files.write(folder.resolve("gres.conf"), files.get("gres.conf"));
    assertComplains("gpu1: fatal: error opening/reading " + folder + "/gres.conf");
  }

  @Test
  void whereSlurmIsNotInstalledThatIsSaid() {
    assertRefused(
        "schedgpu gres: --check needs slurmd, which is neither in PATH nor in /usr/sbin: repeat on"
            + " a host with Slurm, or without --check (rollout: --no-check)",
        () -> SlurmCheck.installed(List.of(folder)));
  }

  @Test
  void withoutSlurmConfThereIsNothingToCheck() throws IOException {
    Files.delete(folder.resolve("slurm.conf"));
    assertRefused(
        "schedgpu gres: --check needs "
            + folder
            + "/slurm.conf, which is not there: name the folder of slurm.conf, or repeat without"
            + " --check",
        () -> check.run(folder, files, TWELVE));
  }

  @Test
  void refusedFilesAreNotApplied() throws IOException {
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:tesla_k20m:2\n");
    Path facts = Files.writeString(folder.resolve("gpu1.json"), Fixtures.facts(16, 2).toJson());
    Path plan = folder.resolve("plan.json");
    Files.writeString(
        plan,
        CommandMain.run(
                "gres",
                "plan",
                "--facts",
                facts.toString(),
                "--per-gpu",
                "6",
                "--json",
                "--output",
                folder.toString(),
                "--dry-run")
            .out());
    String[] apply = {"gres", "apply", "--plan", plan.toString(), "--check"};
    CommandMain.Result refused = CommandMain.run(apply);
    assertEquals(1, refused.exitCode());
    assertTrue(refused.err().contains("slurmd sees 2 of gpu:tesla_k20m:12"), refused.err());
    assertFalse(Files.exists(folder.resolve("gres.conf")));
    writeSlurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:tesla_k20m:12\n");
    CommandMain.Result applied = CommandMain.run(apply);
    assertEquals(0, applied.exitCode(), applied.err());
    assertTrue(
        applied.out().startsWith("checked: slurmd -G reads gpu:tesla_k20m:12 of node gpu1\n"));
    assertTrue(Files.exists(folder.resolve("gres.conf")));
  }
}
