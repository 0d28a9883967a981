package org.schedgpu.agent.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.Main;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;

/** The command as a process that finds the emulated NVML. */
class FactsTest {
  private static final Path EMULATOR =
      Path.of("../lab/gpu-emulator/target/native").toAbsolutePath().normalize();

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private Path facts(Map<String, String> environment) throws Exception {
    RealLibrary.require();
    assumeTrue(Files.exists(EMULATOR.resolve("libnvidia-ml.so.1")), "the emulator is not built");
    Path out = folder.resolve("facts.json");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            "-Dschedgpu.library=" + System.getProperty("schedgpu.library"),
            Main.class.getName(),
            "gres",
            "facts",
            "--node",
            "n");
    builder.environment().put("LD_LIBRARY_PATH", EMULATOR.toString());
    builder.environment().put("EMULATED_GPU_STATE", folder.resolve("gpu").toString());
    builder.environment().putAll(environment);
    Process process =
        builder.redirectOutput(out.toFile()).redirectError(folder.resolve("err").toFile()).start();
    assertEquals(0, process.waitFor(), Files.readString(folder.resolve("err")));
    return out;
  }

  /** CPU 0 is always of core 0. */
  @Test
  void migModeAndCoresAreWhatThePlanNeeds() throws Exception {
    Path facts =
        facts(
            Map.of("EMULATED_GPU_COUNT", "2", "EMULATED_GPU_MIG", "1", "EMULATED_GPU_CPUS", "0/"));
    String json = Files.readString(facts);
    List<String> placed =
        json.lines()
            .map(line -> line.strip().replace(",", ""))
            .filter(line -> line.startsWith("\"mig\"") || line.startsWith("\"cores\""))
            .toList();
    assertEquals(List.of("\"cores\" : \"0\"", "\"mig\" : false", "\"mig\" : true"), placed, json);

    Cli plan = Cli.run("gres", "plan", "--facts", facts.toString(), "--per-gpu", "2");
    assertTrue((plan.out() + plan.err()).contains("MIG"), plan::toString);
  }

  @Test
  void whatNvmlDoesNotKnowIsLeftOut() throws Exception {
    Path facts = facts(Map.of("EMULATED_GPU_CPUS", "/0"));
    String json = Files.readString(facts);
    assertTrue(!json.contains("cores") && !json.contains("mig"), json);
    Cli plan =
        Cli.run(
            "gres", "plan", "--facts", facts.toString(), "--per-gpu", "2", "--affinity", "cores");
    assertEquals(1, plan.exitCode());
    assertTrue(plan.err().contains("the cores near device 0"), plan::err);
  }

  @Test
  void thePlanWritesTheCores() throws Exception {
    Path facts = facts(Map.of("EMULATED_GPU_CPUS", "0"));
    Cli plan =
        Cli.run(
            "gres",
            "plan",
            "--facts",
            facts.toString(),
            "--per-gpu",
            "2",
            "--affinity",
            "cores",
            "--slurm-version=22.05.8");
    assertTrue(plan.out().contains(" Cores=0\n"), plan::toString);
  }

  private String contextBytes(String learned, String mode) throws Exception {
    Path contexts = folder.resolve("contexts");
    Files.writeString(
        contexts, "ContextBytes=%s Driver=580.00.00 Name=\"Emulated GPU 0\"\n".formatted(learned));
    Path conf = folder.resolve("schedgpu.conf");
    Files.writeString(conf, "ContextFile=" + contexts + "\nMode=" + mode + "\n");
    String json =
        Files.readString(facts(Map.of("SLURM_CONF", folder.resolve("slurm.conf").toString())));
    return json.lines()
        .map(line -> line.strip().replace(",", ""))
        .filter(line -> line.startsWith("\"contextBytes\""))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatWasLearnedOfContextsIsUsedAsFarAsItIsBelieved() throws Exception {
    assertEquals("\"contextBytes\" : 16777216", contextBytes("16777216", "shared"));
    assertEquals("\"contextBytes\" : 1073741824", contextBytes("4294967296", "shared"));
    assertTrue(Files.readString(folder.resolve("err")).contains("at most twice ContextBytes="));
    assertEquals("\"contextBytes\" : 536870912", contextBytes("16777216", "brokered"));
  }
}
