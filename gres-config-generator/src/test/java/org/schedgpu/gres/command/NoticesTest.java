package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.PlanFixture;

/** Warnings are in groups, the worst first. */
class NoticesTest {
  @TempDir Path temporary;
  private PlanFixture site;

  @BeforeEach
  void aSite() {
    site =
        new PlanFixture(temporary)
            .slurmConf("NodeName=gpu1 CPUs=4 Gres=gpu:t4:2\nGresTypes=gpu\n")
            .write("gres.conf", "NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia[0-1] Bogus=1\n")
            .facts("gpu1", 0, 1);
  }

  private List<String> headings() {
    return site.text("--per-gpu=4").lines().filter(line -> line.matches("[A-Z][^=]*:")).toList();
  }

  @Test
  void whatStopsSlurmIsAboveWhatIsLostAndWhatIsCounted() {
    assertEquals(
        List.of(
            "Slurm does not start with this:",
            "What is lost, or not protected:",
            "What jobs and users get otherwise:",
            "To know:",
            "Steps on the live cluster, with the plan kept by --json > plan.json:"),
        headings());
    String first = site.json("--per-gpu=4").get("warnings").get(0).asText();
    assertTrue(first.endsWith("slurmd 22.05 will not start with this"), first);
  }

  @Test
  void aGroupOfNothingHasNoHeading() {
    site.write("gres.conf", "NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia[0-1]\n");
    assertEquals("What is lost, or not protected:", headings().get(0));
  }
}
