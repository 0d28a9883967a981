package org.schedgpu.integration;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.schedgpu.gres.facts.Device;

/** With ConstrainDevices=yes: Slurm numbers the devices inside the job, from 0. */
final class ConstrainedDeviceMappingTest extends DeviceMappingTest {
  @Override
  ClusterSetup setup() {
    return ClusterSetup.twoDevices();
  }

  @BeforeEach
  void requireCgroups() {
    assumeTrue(cluster.slurm().constrainsDevices(), "this host's cgroups cannot constrain devices");
  }

  @Override
  String ordinals(List<Device> devices) {
    List<Integer> sorted = devices.stream().map(Device::index).sorted().toList();
    return devices.stream()
        .map(device -> Integer.toString(sorted.indexOf(device.index())))
        .collect(Collectors.joining(","));
  }
}
