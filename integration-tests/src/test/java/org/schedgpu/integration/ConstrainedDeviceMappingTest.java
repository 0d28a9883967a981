package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.minicluster.SlurmRelease;

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

  /** From 23.11 on tasks may open the devices of the whole step; each gets its own only by name. */
  @Test
  void numbersOfATaskCountTheDevicesThatItMayOpen() {
    boolean shared = SlurmRelease.installed().isAtLeast(23, 11);
    takeOne();
    takeOne();
    List<String> options = new ArrayList<>(List.of("--ntasks=2", "--gpus-per-task=1"));
    if (shared) {
      options.add("--gres-flags=allow-task-sharing");
    }

    List<Seen> tasks = Seen.all(cluster.srun(options, "show").orThrow().stdout());

    assertEquals(cluster.uuids(), tasks.stream().map(t -> t.variable("SCHEDGPU_DEVICES")).toList());
    for (String name : List.of("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")) {
      assertEquals(
          List.of("0", shared ? "1" : "0"), tasks.stream().map(t -> t.variable(name)).toList());
    }
  }

  @Override
  String ordinals(List<Device> devices) {
    List<Integer> sorted = devices.stream().map(Device::index).sorted().toList();
    return devices.stream()
        .map(device -> Integer.toString(sorted.indexOf(device.index())))
        .collect(Collectors.joining(","));
  }
}
