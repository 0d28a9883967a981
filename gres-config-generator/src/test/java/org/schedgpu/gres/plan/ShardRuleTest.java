package org.schedgpu.gres.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.schedgpu.gres.facts.Device;

class ShardRuleTest {
  private static final long MIB = 1L << 20;

  private static Device device(int index, long totalMib) {
    return new Device(
        index, "GPU-" + index, "/dev/nvidia" + index, totalMib * MIB, 24 * MIB, 500 * MIB, "A100");
  }

  @Test
  void eachDeviceHasTheShardsOfItsOwnMemory() {
    ShardRule rule = ShardRule.parse("1G", "1.5");
    assertEquals(23, rule.countOf("gpu1", device(0, 16384)));
    assertEquals(11, rule.countOf("gpu1", device(1, 8192)));
  }
}
