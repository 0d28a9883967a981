package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.PlanFixture;

/** If a plan adds GresTypes=gpu, nodes with GPUs and no line in gres.conf go out of service. */
class UnlistedNodesTest {
  private static final String WARNING =
      "GresTypes= gets gpu, which it has not now: %s has gpu in Gres= and no line in gres.conf, so"
          + " slurmctld drains it (INVALID_REG); plan it, too, or list its GPUs in gres.conf, or"
          + " take gpu out of its Gres=";

  @TempDir Path temporary;
  private PlanFixture site;

  @BeforeEach
  void gpuNodesWithoutGresTypes() {
    site =
        new PlanFixture(temporary)
            .write("slurm.conf", "ClusterName=x\nNodeName=gpu[1-4] Gres=gpu:t4:2\nNodeName=c1\n")
            .facts("gpu1", 0, 1);
  }

  private String first() {
    return site.json("--per-gpu=2").get("warnings").get(0).asText();
  }

  @Test
  void theyAreNamedFirst() {
    assertEquals(WARNING.formatted("gpu[2-4]"), first());
    site.write("gres.conf", "NodeName=gpu3 Name=gpu Type=t4 File=/dev/nvidia[0-1]\n");
    assertEquals(WARNING.formatted("gpu[2,4]"), first());
    assertTrue(
        PlanFixture.strings(site.json("--per-gpu=2").get("warnings")).stream()
            .anyMatch(text -> text.contains("the GPUs of gpu3, which is not in the plan, begin")));
    site.write("gres.conf", "NodeName=gpu3 Name=gpu File=/dev/x\nNodeName=gpu4 AutoDetect=nvml\n");
    assertEquals(WARNING.formatted("gpu2"), first());
    site.write("gres.conf", "NodeName=gpu2 Name=nic Count=1\nNodeName=gpu[3-4] AutoDetect=nvml\n");
    assertEquals(WARNING.formatted("gpu2"), first());
  }

  @Test
  void whereAllHaveLinesTheirGpusBeginToCount() {
    site.write("gres.conf", "AutoDetect=nvml\n");
    assertFalse(first().contains("GresTypes= gets"), first());
    assertTrue(
        PlanFixture.strings(site.json("--per-gpu=2").get("warnings")).stream()
            .anyMatch(
                text ->
                    text.startsWith(
                        "GresTypes= gets gpu, which it has not now: the GPUs of gpu[2-4], which is"
                            + " not in the plan, begin to count, too")));
  }

  @Test
  void whereGresTypesHasItNothingIsSaid() {
    site.slurmConf("NodeName=gpu[1-4] Gres=gpu:t4:2\n");
    assertFalse(first().contains("GresTypes= gets"), first());
  }
}
