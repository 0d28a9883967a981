package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.ChildJvm;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.facts.NodeFacts;

/**
 * A plan of a large cluster fits into the heap of the command, or the command reports that it does
 * not.
 */
class SmallHeapTest {
  private static final int NODES = 2000;

  @TempDir Path folder;

  private String plan(String heap, String... arguments) throws Exception {
    List<String> words = new ArrayList<>(List.of("gres", "plan", "--slurm-version=22.05"));
    words.add("--facts=" + folder.resolve("facts.json"));
    words.add("--slurm-conf=" + folder.resolve("slurm.conf"));
    words.addAll(List.of(arguments));
    List<String> command =
        ChildJvm.command(CommandMain.class.getName(), words.toArray(String[]::new));
    command.addAll(1, List.of(heap, "-XX:+UseSerialGC"));
    return ChildJvm.run(command);
  }

  private void facts(int nodes) throws IOException {
    StringBuilder facts = new StringBuilder();
    for (int i = 1; i <= nodes; i++) {
      facts.append(new NodeFacts("gpu%04d".formatted(i), 64, Fixtures.devices(8)).toJson());
    }
    Files.writeString(folder.resolve("facts.json"), facts);
  }

  /** 32 MiB for 2,000 nodes, where the command has 256 MiB. */
  @Test
  void theJsonOfManyNodesIsNotHeldInMemory() throws Exception {
    facts(NODES);
    Files.writeString(
        folder.resolve("slurm.conf"),
        "ClusterName=x\nGresTypes=gpu\nNodeName=gpu[0001-2000] CPUs=64 Gres=gpu:8\n");
    Files.writeString(folder.resolve("gres.conf"), "Name=gpu File=/dev/nvidia[0-7]\n");
    String output = plan("-Xmx32m", "--per-gpu=12", "--json");
    assertTrue(
        output.startsWith("0\n"), () -> output.substring(0, Math.min(2000, output.length())));
    assertEquals(NODES, new ObjectMapper().readTree(output.substring(2)).get("nodes").size());
  }

  @Test
  void whatIsTooMuchIsSaidInALine() throws Exception {
    facts(1);
    StringBuilder conf = new StringBuilder("ClusterName=x\nGresTypes=gpu\n");
    for (int i = 1; i <= 60_000; i++) {
      conf.append("NodeName=gpu%04d CPUs=64 RealMemory=512000 Gres=gpu:8%n".formatted(i));
    }
    Files.writeString(folder.resolve("slurm.conf"), conf);
    String output = plan("-Xmx24m", "--per-gpu=12");
    assertTrue(
        output.matches(
            "1\nschedgpu gres: the files do not fit into the 2[0-9] MiB of memory of this Java:"
                + " repeat with SCHEDGPU_JAVA_OPTIONS=-Xmx2g in the environment\n"),
        output);
  }
}
