package org.schedgpu.gres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.function.Executable;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;

/** Nodes and devices that several tests use. */
public final class Fixtures {
  public static final long TOTAL_BYTES = 5_032_116_224L;
  public static final long CONTEXT_BYTES = 67_108_864L;

  private Fixtures() {}

  public static Device device(int index) {
    return new Device(
        index, "GPU-" + index, "/dev/nvidia" + index, TOTAL_BYTES, 0, CONTEXT_BYTES, "Tesla K20m");
  }

  public static List<Device> devices(int count) {
    return IntStream.range(0, count).mapToObj(Fixtures::device).toList();
  }

  public static NodePlan node(int devices, int shares, Order order) {
    return new NodePlan("gpu1", devices(devices), shares, "k20m", order, true);
  }

  public static NodeFacts facts(Integer cpus, int devices) {
    return new NodeFacts("gpu1", cpus, devices(devices));
  }

  public static void assertRefused(String message, Executable action) {
    assertEquals(message, assertThrows(GresException.class, action).getMessage());
  }
}
