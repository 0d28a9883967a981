package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.PlanFixture;

/** If each node has its own gres.conf, the plan says what to do with it. */
class SeparateGresConfTest {
  @TempDir Path temporary;
  private PlanFixture site;

  @BeforeEach
  void twoNodes() {
    site =
        new PlanFixture(temporary)
            .slurmConf("NodeName=gpu[1-3] CPUs=16 Gres=gpu:t4:2\n")
            .facts("gpu1", 0, 1)
            .facts("gpu2", 0, 1);
  }

  private List<String> told() {
    return PlanFixture.strings(site.json("--per-gpu=2").get("warnings")).stream()
        .filter(text -> text.contains("gres.conf of its own"))
        .map(text -> text.substring(0, text.indexOf(':')))
        .toList();
  }

  @Test
  void nodesWithoutALineHereAreNamed() {
    String text = "%s has GPUs now that no line of gres.conf here is for";
    assertEquals(List.of(text.formatted("gpu[1-2]")), told());
    site.write("gres.conf", "NodeName=gpu2 Name=gpu Type=t4 File=/dev/nvidia[0-1]\n");
    assertEquals(List.of(text.formatted("gpu1")), told());
  }

  @Test
  void whereAllHaveOneNothingIsSaid() {
    site.write("gres.conf", "AutoDetect=nvml\n");
    assertEquals(List.of(), told());
  }

  /** The sum also shows two devices of which the facts lack one. */
  @Test
  void devicesAreAddedUp() {
    site.write("gres.conf", "AutoDetect=nvml\n").facts("gpu2", 0);
    assertEquals(
        "in all: 4 GPUs in Gres= before, 6 after, on 3 devices of 2 nodes",
        site.text("--per-gpu=2", "--remove-missing")
            .lines()
            .filter(line -> line.startsWith("in all: "))
            .findFirst()
            .orElseThrow());
  }
}
