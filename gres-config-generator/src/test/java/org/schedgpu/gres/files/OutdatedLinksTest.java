package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.LinkRule;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;

/** Finds a gres.conf that was written for a Slurm of the other group (before 24.05, or newer). */
class OutdatedLinksTest {
  private static final SlurmVersion OLD = SlurmVersion.parse("22.05");
  private static final SlurmVersion NEW = SlurmVersion.parse("24.11");

  @TempDir private Path folder;

  private static NodePlan node(String name, LinkRule rule, Order order) {
    return new NodePlan(
        name,
        List.of(
            new DeviceGroup("a100", Fixtures.devices(2), 3, order),
            DeviceGroup.whole("full", List.of(Fixtures.device(2)))),
        Affinity.LINKS,
        Map.of(),
        Optional.empty(),
        false,
        rule);
  }

  private Path file(NodePlan... nodes) throws IOException {
    return Files.writeString(
        folder.resolve("gres.conf"), GresConfWriter.text(new GresPlan(List.of(nodes))));
  }

  @Test
  void whatIsWrittenForAReleaseSuitsIt() throws IOException {
    for (Order order : Order.values()) {
      Path old = file(node("gpu1", LinkRule.MOST_LINKED, order));
      assertEquals(Optional.empty(), OutdatedLinks.of(old, OLD));
      assertTrue(OutdatedLinks.of(old, NEW).isPresent());
      Path now = file(node("gpu1", LinkRule.LEAST_LINKED, order));
      assertEquals(Optional.empty(), OutdatedLinks.of(now, NEW));
      assertTrue(OutdatedLinks.of(now, OLD).isPresent());
    }
  }

  @Test
  void theNodesAreNamedWithWhatToDo() throws IOException {
    List<NodePlan> nodes = new ArrayList<>();
    for (String name : List.of("gpu1", "gpu2", "gpu3")) {
      LinkRule rule = name.equals("gpu2") ? LinkRule.LEAST_LINKED : LinkRule.MOST_LINKED;
      nodes.add(node(name, rule, Order.SPREAD));
    }
    OutdatedLinks.Problem problem =
        OutdatedLinks.of(file(nodes.toArray(NodePlan[]::new)), NEW).orElseThrow();
    assertEquals(
        "Links= of gpu[1,3] in gres.conf is written for Slurm before 24.05, this is 24.11: a job of"
            + " several GPUs gets one device where it could have different ones",
        problem.what());
    assertEquals("plan and apply again, for Slurm 24.11", problem.action());
  }

  @Test
  void whereLinksSayNothingThereIsNothingToMend() throws IOException {
    assertEquals(
        Optional.empty(),
        OutdatedLinks.of(
            file(new NodePlan("gpu1", Fixtures.devices(1), 4, "t", Order.PACK, true)), NEW));
    assertEquals(
        Optional.empty(),
        OutdatedLinks.of(
            file(new NodePlan("gpu1", Fixtures.devices(2), 4, "t", Order.PACK, false)), NEW));
  }

  /** It ignores a site's own Links= for NVLink. */
  @Test
  void linesOfOthersAreLeftAlone() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("gres.conf"),
            """
            NodeName=gpu1 Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1,0,1
            NodeName=gpu1 Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=0,-1,1
            NodeName=gpu1 Name=gpu MultipleFiles=/dev/nvidia1,/dev/nvidiactl Links=1,1,-1
            """);
    assertEquals(Optional.empty(), OutdatedLinks.of(file, NEW));
  }
}
