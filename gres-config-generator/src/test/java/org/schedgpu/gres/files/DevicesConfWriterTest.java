package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;

class DevicesConfWriterTest {
  @Test
  void lineIsThatOfTheReferencePage() {
    NodePlan node = new NodePlan("gpu1", Fixtures.devices(1), 12, "k20m", Order.SPREAD, true);
    assertEquals(
        "NodeName=gpu1 Device=0 UUID=GPU-0 File=/dev/nvidia0 TotalBytes=5032116224 ReservedBytes=0"
            + " ContextBytes=67108864 Virtual=0-11 Name=\"Tesla K20m\"\n",
        DevicesConfWriter.text(new GresPlan(List.of(node))));
  }

  @Test
  void oneLineForEachNodeAndDevice() {
    Device small = new Device(3, "GPU-a", "/dev/nvidia3", 100, 5, 7, "T4");
    Device large = new Device(1, "GPU-b", "/dev/nvidia1", 200, 6, 8, "A100");
    NodePlan spread = new NodePlan("gpu1", List.of(small, large), 3, "x", Order.SPREAD, true);
    NodePlan pack = new NodePlan("gpu2", List.of(small, large), 3, "x", Order.PACK, true);
    assertEquals(
        """
        NodeName=gpu1 Device=3 UUID=GPU-a File=/dev/nvidia3 TotalBytes=100 ReservedBytes=5 \
        ContextBytes=7 Virtual=0,2,4 Name=T4
        NodeName=gpu1 Device=1 UUID=GPU-b File=/dev/nvidia1 TotalBytes=200 ReservedBytes=6 \
        ContextBytes=8 Virtual=1,3,5 Name=A100
        NodeName=gpu2 Device=3 UUID=GPU-a File=/dev/nvidia3 TotalBytes=100 ReservedBytes=5 \
        ContextBytes=7 Virtual=0-2 Name=T4
        NodeName=gpu2 Device=1 UUID=GPU-b File=/dev/nvidia1 TotalBytes=200 ReservedBytes=6 \
        ContextBytes=8 Virtual=3-5 Name=A100
        """,
        DevicesConfWriter.text(new GresPlan(List.of(spread, pack))));
  }
}
