package org.schedgpu.gres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.gres.Fixtures.devices;
import static org.schedgpu.gres.Fixtures.node;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

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
  void firstLineTellsWhoWroteIt() {
    String first =
        GresConfWriter.text(new GresPlan(List.of(node(1, 1, Order.PACK))))
            .lines()
            .findFirst()
            .get();
    assertEquals(
        "# Written by schedgpu gres. A change by hand is lost when it is written again.", first);
  }
}
