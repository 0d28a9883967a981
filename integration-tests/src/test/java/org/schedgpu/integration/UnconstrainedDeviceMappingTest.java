package org.schedgpu.integration;

import java.util.List;
import java.util.stream.Collectors;
import org.schedgpu.gres.facts.Device;

/** Without ConstrainDevices: a job could open every device, and numbers are the node's. */
final class UnconstrainedDeviceMappingTest extends DeviceMappingTest {
  @Override
  ClusterSetup setup() {
    return ClusterSetup.twoDevices().constrainDevices(false);
  }

  @Override
  String ordinals(List<Device> devices) {
    return devices.stream()
        .map(device -> Integer.toString(device.index()))
        .collect(Collectors.joining(","));
  }
}
