package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;

/** A plan with the cluster's slurm.conf, applied and reverted. */
class PlanAndApplyTest {
  private static final String SLURM =
      "ClusterName=x # caf\u00e9\nGresTypes=gpu\nInclude nodes/gpu.conf\nInclude other.conf\n";
  private static final String NODES = "NodeName=gpu[1-2] CPUs=16 Gres=gpu:2\r\n";

  @TempDir Path base;
  private Path folder;
  private Path plan;

  @BeforeEach
  void makeASite() throws IOException {
    folder = Files.createDirectory(base.resolve("slurm")).toRealPath();
    Files.createDirectory(folder.resolve("nodes"));
    Files.write(slurmConf(), SLURM.getBytes(StandardCharsets.ISO_8859_1));
    Files.writeString(nodesConf(), NODES);
    Files.writeString(folder.resolve("other.conf"), "NodeName=cpu1\n");
    plan = base.resolve("plan.json");
  }

  private Path slurmConf() {
    return folder.resolve("slurm.conf");
  }

  private Path nodesConf() {
    return folder.resolve("nodes/gpu.conf");
  }

  private CommandMain.Result plan(String... more) throws IOException {
    Path facts = Files.writeString(base.resolve("gpu1.json"), Fixtures.facts(16, 2).toJson());
    return gres(
        Stream.concat(
                Stream.of(
                    "plan", "--facts=" + facts, "--per-gpu=6", "--slurm-conf", slurmConf() + ""),
                Arrays.stream(more))
            .toArray(String[]::new));
  }

  private JsonNode keepPlan(String... more) throws IOException {
    CommandMain.Result result =
        plan(Stream.concat(Stream.of("--json"), Arrays.stream(more)).toArray(String[]::new));
    assertEquals(0, result.exitCode(), result.err());
    Files.writeString(plan, result.out());
    return new ObjectMapper().readTree(result.out());
  }

  private static CommandMain.Result gres(String... args) {
    return CommandMain.run(
        Stream.concat(Stream.of("gres"), Arrays.stream(args)).toArray(String[]::new));
  }

  private CommandMain.Result apply(String... args) {
    return gres(
        Stream.concat(Stream.of("apply", "--plan", plan.toString()), Arrays.stream(args))
            .toArray(String[]::new));
  }

  @Test
  void slurmConfAndItsIncludesAreInPlaceAfterApplyAndBackAfterRevert() throws IOException {
    JsonNode json = keepPlan("--type=t4");
    assertFalse(json.get("files").has("slurm-schedgpu.conf"));
    assertFalse(json.get("files").has("slurm.conf"), "it does not change");
    assertEquals(0, apply().exitCode(), apply().err());
    assertEquals(
        "NodeName=gpu1 CPUs=16 Gres=gpu:t4:12\r\nNodeName=gpu2 CPUs=16 Gres=gpu:2\r\n",
        Files.readString(nodesConf()));
    assertTrue(Files.exists(folder.resolve("devices.conf")));
    assertEquals(0, gres("revert", "--folder", folder.toString()).exitCode());
    assertEquals(NODES, Files.readString(nodesConf()));
  }

  @Test
  void planOfItsOwnResultChangesNothing() throws IOException {
    keepPlan("--type=t4");
    apply();
    String again = plan("--type=t4").out();
    assertTrue(again.contains("\nno change: the files in "), again);
    assertEquals("{}", keepPlan("--type=t4").get("diff").toString());
    assertTrue(apply().out().startsWith("nothing to do: "));
  }

  @Test
  void devicesCanStayWithoutAType() throws IOException {
    keepPlan("--type=");
    assertEquals(0, apply().exitCode(), apply().err());
    String nodes = Files.readString(nodesConf());
    assertTrue(nodes.contains("NodeName=gpu1 CPUs=16 Gres=gpu:12\r\n"), nodes);
    String gresConf = Files.readString(folder.resolve("gres.conf"));
    assertTrue(gresConf.contains(" Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidiactl"), gresConf);
    assertFalse(gresConf.contains("Type="), gresConf);
    assertEquals("{}", keepPlan("--type=").get("diff").toString());
  }

  @Test
  void bytesThatAreNoTextSurvive() throws IOException {
    Files.writeString(slurmConf(), "# end\nNodeName=gpu1\n");
    byte[] odd =
        "ClusterName=x # caf\u00e9\nNodeName=gpu1 # \u00ff\n".getBytes(StandardCharsets.ISO_8859_1);
    Files.write(slurmConf(), odd);
    keepPlan("--type=t4");
    assertEquals(0, apply().exitCode());
    String expected =
        "ClusterName=x # caf\u00e9\nGresTypes=gpu\nNodeName=gpu1 Gres=gpu:t4:12 # \u00ff\n";
    assertArrayEquals(
        expected.getBytes(StandardCharsets.ISO_8859_1), Files.readAllBytes(slurmConf()));
  }

  @Test
  void fileThatThePlanWasMadeFromMustBeWhatItWas() throws IOException {
    keepPlan();
    Files.writeString(folder.resolve("other.conf"), "NodeName=cpu2\n");
    CommandMain.Result result = apply();
    assertEquals(1, result.exitCode());
    assertTrue(result.err().contains("other.conf was changed since the plan: "), result.err());
    assertTrue(result.err().contains("-NodeName=cpu1\n+NodeName=cpu2"), result.err());
    assertEquals(NODES, Files.readString(nodesConf()));
    assertEquals(0, apply("--force").exitCode());
  }

  @Test
  void differencesAreUnifiedAndNothingIsWritten() throws IOException {
    String out = plan("--type=t4").out();
    assertTrue(
        out.contains(
            """
            --- %1$s
            +++ %1$s
            @@ -1,1 +1,2 @@
            -NodeName=gpu[1-2] CPUs=16 Gres=gpu:2\r
            +NodeName=gpu1 CPUs=16 Gres=gpu:t4:12\r
            +NodeName=gpu2 CPUs=16 Gres=gpu:2\r
            """
                .formatted(nodesConf())),
        out);
    assertTrue(out.contains("--- /dev/null\n+++ " + folder + "/gres.conf\n"), out);
    assertEquals(NODES, Files.readString(nodesConf()));
    assertFalse(Files.exists(folder.resolve("gres.conf")));
  }

  @Test
  void planWritesNothingIntoTheFolderOfSlurmConf() throws IOException {
    CommandMain.Result result = plan("--output", folder.toString());
    assertEquals(1, result.exitCode());
    assertTrue(result.err().contains("where plan writes nothing: keep the plan"), result.err());
    assertEquals(0, plan("--output", base.resolve("new").toString()).exitCode());
    assertTrue(Files.readString(base.resolve("new/nodes/gpu.conf")).contains("NodeName=gpu2"));
    assertEquals(NODES, Files.readString(nodesConf()));
  }

  @Test
  void fileOutsideTheFolderIsRefusedUntilALinkLeadsToIt() throws IOException {
    Path shared = Files.writeString(base.toRealPath().resolve("shared.conf"), NODES);
    Files.writeString(slurmConf(), "ClusterName=x\nInclude " + shared + "\n");
    CommandMain.Result result = plan();
    assertEquals(1, result.exitCode());
    assertTrue(
        result
            .err()
            .startsWith(
                "schedgpu gres: file %1$s must change and is not below %2$s: put a link to it into that folder (ln -s %1$s %2$s/) and name"
                    .formatted(shared, folder)),
        result.err());
    Files.createSymbolicLink(folder.resolve("shared.conf"), shared);
    Files.writeString(slurmConf(), "ClusterName=x\nInclude shared.conf\n");
    keepPlan();
    assertEquals(0, apply().exitCode());
    assertTrue(Files.isSymbolicLink(folder.resolve("shared.conf")));
    assertTrue(Files.readString(shared).contains("NodeName=gpu2"));
  }

  @Test
  void optionsForTheSitesFilesNeedSlurmConf() throws IOException {
    CommandMain.Result result =
        gres("plan", "--facts=" + base.resolve("x"), "--per-gpu=2", "--scale-billing");
    assertEquals(2, result.exitCode());
    assertTrue(result.err().startsWith("--scale-billing needs --slurm-conf"), result.err());
  }
}
