package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.GresBlock;

/** A plan for a cluster with its slurm.conf, gres.conf and devices.conf, as the command has it. */
class PlanInPlaceTest {
  private static final String SLURM_CONF =
      """
      ClusterName=x
      SlurmctldHost=localhost
      GresTypes=gpu,nic
      NodeName=gpu[1-2] CPUs=16 Gres=gpu:a100:2,nic:1
      NodeName=gpu3 CPUs=16 Gres=gpu:a100:2
      PartitionName=all Nodes=ALL
      """;

  @TempDir private Path temporary;
  private Path folder;
  private Path facts;

  @BeforeEach
  void writeFiles() throws IOException {
    folder = Files.createDirectories(temporary.toRealPath().resolve("slurm"));
    facts = Files.createDirectories(temporary.resolve("facts"));
    write("slurm.conf", SLURM_CONF);
    for (int node = 1; node <= 3; node++) {
      Files.writeString(
          facts.resolve("gpu" + node + ".json"),
          new NodeFacts("gpu" + node, 16, Fixtures.devices(2)).toJson());
    }
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private CommandMain.Result plan(String... arguments) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "gres",
                "plan",
                "--facts=" + facts,
                "--slurm-conf=" + folder.resolve("slurm.conf"),
                "--slurm-version=22.05.8",
                "--type=a100"));
    all.addAll(List.of(arguments));
    return CommandMain.run(all.toArray(new String[0]));
  }

  private JsonNode files(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    CommandMain.Result result = plan(all.toArray(new String[0]));
    assertEquals(0, result.exitCode(), result.err());
    return new ObjectMapper().readTree(result.out()).get("files");
  }

  private void assertRefused(String part, String... arguments) {
    CommandMain.Result result = plan(arguments);
    assertEquals(1, result.exitCode(), result.out());
    assertTrue(result.err().contains(part), result.err());
  }

  @Test
  void theGresConfBesideSlurmConfIsTheBase() throws IOException {
    write(
        "gres.conf",
        "# mine\nName=nic Count=1\nNodeName=gpu[1-3] Name=gpu Type=a100 File=/dev/nvidia[0-1]\n");
    String text = files("--rule=nodes=gpu1,per-gpu=2").get("gres.conf").asText();
    assertTrue(
        text.startsWith(
            "# mine\nName=nic Count=1\nNodeName=gpu[2-3] Name=gpu Type=a100 File=/dev/nvidia[0-1]\n"
                + GresBlock.BEGIN),
        text);
  }

  @Test
  void theTableComparesGpusWithGpus() throws IOException {
    write("gres.conf", "");
    String text = plan("--rule=nodes=gpu1,per-gpu=2").out();
    assertTrue(text.contains("gpu1  gpu:a100:2  gpu:a100:4  2 x 2"), text);
  }

  @Test
  void noTypeIsCutOutOfTheTable() throws IOException {
    write("gres.conf", "");
    String rule =
        "--rule=nodes=gpu1,per-gpu=2,keep-exclusive=1,exclusive-type=for_one_job_at_a_time";
    String text = plan(rule).out();
    assertTrue(
        text.startsWith(
            """
            NODE  BEFORE      AFTER                                   SHARES         ORDER   A SHARE
            gpu1  gpu:a100:2  gpu:a100:2,gpu:for_one_job_at_a_time:1  1 x 2 + 1 x 1  spread  2.3 GiB
            """),
        text);
  }

  @Test
  void theDevicesOfOtherNodesStay() throws IOException {
    write("gres.conf", "");
    String both = files("--rule=nodes=gpu[1-2],per-gpu=2").get("devices.conf").asText();
    write("devices.conf", "# ours\n" + both);
    String after = files("--rule=nodes=gpu2,per-gpu=3").get("devices.conf").asText();
    assertTrue(after.startsWith("# ours\nNodeName=gpu1 Device=0 "), after);
    assertEquals(5, after.lines().count(), after);
    assertTrue(after.contains("NodeName=gpu1 Device=1 UUID=GPU-1 "), after);
    assertTrue(after.contains("Virtual=1,3,5 Name"), after);
    assertEquals(2, after.lines().filter(line -> line.startsWith("NodeName=gpu2 ")).count());
  }

  @Test
  void slurmsOwnSharingInSlurmConfIsRefusedOrTakenOut() throws IOException {
    write(
        "slurm.conf",
        SLURM_CONF
            .replace("=gpu,nic", "=gpu,nic,shard")
            .replace(
                "NodeName=gpu3 CPUs=16 Gres=gpu:a100:2",
                "NodeName=gpu3 CPUs=16 Gres=gpu:a100:2,shard:8"));
    assertRefused("line 5, node gpu3 has shard:8, Slurm's own way to share", "--per-gpu=2");
    String text = files("--per-gpu=2", "--remove-shards").get("slurm.conf").asText();
    assertTrue(text.contains("NodeName=gpu3 CPUs=16 Gres=gpu:a100:4\n"), text);
    assertTrue(text.contains("GresTypes=gpu,nic\n"), text);
    assertRefused("GresTypes= has shard, which gpu3 has", "--rule=nodes=gpu1,per-gpu=2");
  }

  @Test
  void countedMemoryIsReplacedWhenPlannedAgain() throws IOException {
    String gres = "Gres=gpu:a100:4,gpumem:9470M,nic:1";
    String once = files("--rule=nodes=gpu[1-2],per-gpu=2", "--gpumem").get("slurm.conf").asText();
    assertTrue(once.contains(gres + "\n"), once);
    assertTrue(once.contains("GresTypes=gpu,nic,gpumem"), once);
    write("slurm.conf", once);
    assertFalse(files("--rule=nodes=gpu[1-2],per-gpu=2", "--gpumem").has("slurm.conf"));
    String without = files("--rule=nodes=gpu[1-2],per-gpu=2").get("slurm.conf").asText();
    assertTrue(without.contains("Gres=gpu:a100:4,nic:1\n"), without);
  }

  @Test
  void migInstancesKeepTheirPartOfGres() throws IOException {
    write("slurm.conf", SLURM_CONF.replace("gpu:a100:2,nic:1", "gpu:1g.5gb:2,gpu:a100:1,nic:1"));
    String mig =
        """
        NodeName=gpu[1-2] Name=gpu Type=1g.5gb MultipleFiles=/dev/nvidia7,/dev/nvidia-caps/c1
        NodeName=gpu[1-2] Name=gpu Type=1g.5gb MultipleFiles=/dev/nvidia7,/dev/nvidia-caps/c2
        """;
    write("gres.conf", mig);
    JsonNode files = files("--rule=nodes=gpu[1-2],per-gpu=2");
    String slurmConf = files.get("slurm.conf").asText();
    assertTrue(slurmConf.contains("Gres=gpu:a100:4,gpu:1g.5gb:2,nic:1\n"), slurmConf);
    assertTrue(files.get("gres.conf").asText().startsWith(mig + GresBlock.BEGIN));
    assertTrue(files.get("devices.conf").asText().contains("NodeName=gpu1 NotOurs=4-5\n"));
  }

  /** AutoDetect=nvml finds them, and it is off on planned nodes. */
  @Test
  void migInstancesThatNoLineListsAreRefused() throws IOException {
    write("slurm.conf", SLURM_CONF.replace("gpu:a100:2,nic:1", "gpu:1g.5gb:2,gpu:a100:1,nic:1"));
    write("gres.conf", "AutoDetect=nvml\n");
    assertRefused(
        "line 4, node gpu1 has gpu:1g.5gb:2, and gres.conf has no line for it",
        "--rule=nodes=gpu[1-2],per-gpu=2");
  }

  @Test
  void forceWritesLinesThatWereChangedByHandAgain() throws IOException {
    write("gres.conf", "");
    String rule = "--rule=nodes=gpu1,per-gpu=2";
    String once = files(rule).get("gres.conf").asText();
    write("gres.conf", once.replace("Links=-1,1,0,1", "Links=-1,1,1,1"));
    assertRefused("gres.conf line 1, the lines of schedgpu gres were changed by hand", rule);
    assertEquals(once, files(rule, "--force").get("gres.conf").asText());
  }

  @Test
  void theGresConfThatWasReadMayBeReplaced() throws IOException {
    write("gres.conf", "# mine\nName=nic Count=1\n");
    CommandMain.Result result =
        CommandMain.run(
            "gres",
            "plan",
            "--facts=" + facts,
            "--per-gpu=2",
            "--gres-conf=" + folder.resolve("gres.conf"),
            "--output=" + folder);
    assertEquals(0, result.exitCode(), result.err());
    String text = Files.readString(folder.resolve("gres.conf"), StandardCharsets.UTF_8);
    assertTrue(text.startsWith("# mine\nName=nic Count=1\n" + GresBlock.BEGIN), text);
  }
}
