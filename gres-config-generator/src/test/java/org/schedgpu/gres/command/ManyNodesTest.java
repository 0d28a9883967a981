package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.facts.NodeFacts;

/** A plan for 10,000 nodes, with all the files of the cluster. Prints how long it took. */
class ManyNodesTest {
  private static final int NODES = 10_000;

  @TempDir private Path folder;

  @Test
  void tenThousandNodesHaveTheLinesOfOne() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= NODES; i++) {
      all.append(new NodeFacts("gpu%05d".formatted(i), 64, Fixtures.devices(8)).toJson());
    }
    Path facts = Files.writeString(folder.resolve("facts.json"), all);
    Path slurmConf =
        Files.writeString(
            folder.resolve("slurm.conf"),
            """
            ClusterName=x
            SlurmctldHost=localhost
            GresTypes=gpu
            NodeName=gpu[00001-10000] CPUs=64 Gres=gpu:8
            NodeName=other CPUs=64 Gres=gpu:8
            PartitionName=all Nodes=ALL
            """);
    Files.writeString(folder.resolve("gres.conf"), "Name=gpu File=/dev/nvidia[0-7]\n");
    long start = cpuTimeNs();
    CommandMain.Result result =
        CommandMain.run(
            "gres",
            "plan",
            "--facts=" + facts,
            "--slurm-conf=" + slurmConf,
            "--per-gpu=12",
            "--rule=nodes=gpu[00001-05000],type=tesla_k20m,per-gpu=6,keep-exclusive=1",
            "--json");
    System.out.printf(
        "ManyNodesTest: %d nodes in %.1f s of CPU time%n", NODES, (cpuTimeNs() - start) / 1e9);
    assertEquals(0, result.exitCode(), result.err());
    String gresConf =
        new ObjectMapper().readTree(result.out()).get("files").get("gres.conf").asText();
    assertEquals(
        7 * 6 + 1 + 8 * 12, gresConf.lines().filter(line -> line.contains(" Links=")).count());
    assertTrue(gresConf.startsWith("NodeName=other Name=gpu File=/dev/nvidia[0-7]\n"));
  }

  private static long cpuTimeNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
