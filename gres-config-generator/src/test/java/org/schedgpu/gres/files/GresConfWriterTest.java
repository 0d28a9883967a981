package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.gres.Fixtures.devices;
import static org.schedgpu.gres.Fixtures.node;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;
import org.schedgpu.gres.plan.UnchangedGroup;

class GresConfWriterTest {
  private static String linesOf(NodePlan... nodes) {
    return GresConfWriter.text(new GresPlan(List.of(nodes)))
        .lines()
        .filter(line -> !line.startsWith("#"))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  @Test
  void spreadAlternatesLinesAndLinksFollow() {
    assertEquals(
        """
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1,1,0,1
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia1,/dev/nvidiactl Links=1,-1,1,0
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=0,1,-1,1
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia1,/dev/nvidiactl Links=1,0,1,-1
        """,
        linesOf(node(2, 2, Order.SPREAD)));
  }

  @Test
  void packGroupsLinesAndLinksFollow() {
    assertEquals(
        """
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1,0,1,1
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=0,-1,1,1
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia1,/dev/nvidiactl Links=1,1,-1,0
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia1,/dev/nvidiactl Links=1,1,0,-1
        """,
        linesOf(node(2, 2, Order.PACK)));
  }

  @Test
  void oneShareIsStillTwoFiles() {
    assertEquals(
        """
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1
        """,
        linesOf(node(1, 1, Order.SPREAD)));
  }

  @Test
  void linksAndControlFileAreChosen() {
    NodePlan node =
        new NodePlan("gpu1", devices(1), 2, "k20m", Order.PACK, false, Optional.of("/dev/other"));
    assertEquals(
        """
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/other
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/other
        """,
        linesOf(node));
  }

  @Test
  void nodesFollowEachOtherAndLinkWithinThemselves() {
    NodePlan second = new NodePlan("gpu2", devices(1), 2, "t4", Order.SPREAD, true);
    assertEquals(
        """
        NodeName=gpu1 Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1
        NodeName=gpu2 Name=gpu Type=t4 MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1,0
        NodeName=gpu2 Name=gpu Type=t4 MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=0,-1
        """,
        linesOf(node(1, 1, Order.SPREAD), second));
  }

  @Test
  void typesAreInTheirOrderAndLinksCountOverAllGpusOfTheNode() {
    NodePlan node =
        new NodePlan(
            "gpu1",
            List.of(
                new DeviceGroup("a100", devices(2), 2, Order.PACK),
                DeviceGroup.whole("full", List.of(Fixtures.device(2))),
                new UnchangedGroup("1g.5gb", 2)),
            Affinity.LINKS,
            Map.of(),
            Optional.empty(),
            false);
    assertEquals(
        """
        NodeName=gpu1 Name=gpu Type=a100 MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1,0,1,1,1,1,1
        NodeName=gpu1 Name=gpu Type=a100 MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=0,-1,1,1,1,1,1
        NodeName=gpu1 Name=gpu Type=a100 MultipleFiles=/dev/nvidia1,/dev/nvidiactl Links=1,1,-1,0,1,1,1
        NodeName=gpu1 Name=gpu Type=a100 MultipleFiles=/dev/nvidia1,/dev/nvidiactl Links=1,1,0,-1,1,1,1
        NodeName=gpu1 Name=gpu Type=full MultipleFiles=/dev/nvidia2,/dev/nvidiactl Links=1,1,1,1,-1,1,1
        """,
        linesOf(node));
  }

  @Test
  void coresStandInsteadOfLinks() {
    NodePlan node =
        new NodePlan(
            "gpu1",
            List.of(new DeviceGroup("a100", devices(2), 1, Order.SPREAD)),
            Affinity.CORES,
            Map.of(0, "0-3", 1, "4-7"),
            Optional.empty(),
            false);
    assertEquals(
        """
        NodeName=gpu1 Name=gpu Type=a100 MultipleFiles=/dev/nvidia0,/dev/nvidiactl Cores=0-3
        NodeName=gpu1 Name=gpu Type=a100 MultipleFiles=/dev/nvidia1,/dev/nvidiactl Cores=4-7
        """,
        linesOf(node));
  }

  @Test
  void memoryOfSharedDevicesIsCounted() {
    NodePlan node =
        new NodePlan(
            "gpu1",
            List.of(
                new DeviceGroup("a100", devices(1), 2, Order.SPREAD),
                DeviceGroup.whole("full", List.of(Fixtures.device(1)))),
            Affinity.NONE,
            Map.of(),
            Optional.empty(),
            true);
    assertTrue(linesOf(node).endsWith("NodeName=gpu1 Name=gpumem Count=4735M Flags=CountOnly\n"));
    assertEquals("gpu:a100:2,gpu:full:1,gpumem:4735M", node.gres());
    assertEquals(List.of("gpu", "gpumem"), node.gresNames());
  }

  @Test
  void nodesWithTheSameLinesShareThem() {
    NodePlan second = new NodePlan("gpu2", devices(1), 1, "k20m", Order.SPREAD, true);
    NodePlan other = new NodePlan("gpu3", devices(1), 1, "t4", Order.SPREAD, true);
    NodePlan third = new NodePlan("gpu4", devices(1), 1, "k20m", Order.SPREAD, true);
    assertEquals(
        """
        NodeName=gpu[1-2,4] Name=gpu Type=k20m MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1
        NodeName=gpu3 Name=gpu Type=t4 MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1
        """,
        linesOf(node(1, 1, Order.SPREAD), second, other, third));
  }

  @Test
  void markersHoldTheLinesTogether() {
    List<String> lines =
        GresConfWriter.text(new GresPlan(List.of(node(1, 1, Order.PACK)))).lines().toList();
    List<String> between = lines.subList(1, lines.size() - 1);
    assertEquals("# BEGIN schedgpu gres " + GresBlock.sum(between), lines.get(0));
    assertEquals("# END schedgpu gres", lines.get(lines.size() - 1));
  }
}
