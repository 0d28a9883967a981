package org.schedgpu.gres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.function.Executable;

/** Nodes and devices that several tests use. */
final class Fixtures {
  static final long TOTAL_BYTES = 5_032_116_224L;
  static final long CONTEXT_BYTES = 67_108_864L;

  private Fixtures() {}

  static Device device(int index) {
    return new Device(
        index, "GPU-" + index, "/dev/nvidia" + index, TOTAL_BYTES, 0, CONTEXT_BYTES, "Tesla K20m");
  }

  static List<Device> devices(int count) {
    return IntStream.range(0, count).mapToObj(Fixtures::device).toList();
  }

  static NodePlan node(int devices, int shares, Order order) {
    return new NodePlan("gpu1", devices(devices), shares, "k20m", order, true);
  }

  static NodeFacts facts(Integer cpus, int devices) {
    return new NodeFacts("gpu1", cpus, devices(devices));
  }

  static void assertRefused(String message, Executable action) {
    assertEquals(message, assertThrows(GresException.class, action).getMessage());
  }
}
