package org.schedgpu.gres.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.gres.Fixtures.assertRefused;
import static org.schedgpu.gres.Fixtures.device;
import static org.schedgpu.gres.Fixtures.devices;
import static org.schedgpu.gres.Fixtures.node;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.facts.Device;

class NodePlanTest {
  private static NodePlan of(String nodeName, String type) {
    return new NodePlan(nodeName, devices(2), 2, type, Order.SPREAD, true);
  }

  private static List<Integer> deviceIndexes(NodePlan node) {
    return node.virtualGpus().stream().map(virtual -> virtual.device().index()).toList();
  }

  @Test
  void spreadAlternatesDevices() {
    assertEquals(List.of(0, 1, 2, 0, 1, 2), deviceIndexes(node(3, 2, Order.SPREAD)));
  }

  @Test
  void packGroupsDevices() {
    assertEquals(List.of(0, 0, 1, 1, 2, 2), deviceIndexes(node(3, 2, Order.PACK)));
  }

  @Test
  void virtualGpusAreNumberedFrom0() {
    assertEquals(
        List.of(0, 1, 2, 3),
        node(2, 2, Order.PACK).virtualGpus().stream().map(VirtualGpu::index).toList());
  }

  @Test
  void devicesKeepTheirGivenOrder() {
    NodePlan node =
        new NodePlan("gpu1", List.of(device(5), device(2)), 2, "k20m", Order.SPREAD, true);
    assertEquals(List.of(5, 2, 5, 2), deviceIndexes(node));
    assertEquals(List.of(0, 2), node.virtualIndexesOf(device(5)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 257, -3})
  void sharesAre1To256(int shares) {
    assertRefused(
        "schedgpu gres: node gpu1, shares per device is " + shares + ": use a number from 1 to 256",
        () -> node(1, shares, Order.PACK));
  }

  @Test
  void devicesAre1To16() {
    assertRefused(
        "schedgpu gres: node gpu1, number of devices is 0: use a number from 1 to 16",
        () -> node(0, 1, Order.PACK));
    assertEquals(16, node(16, 1, Order.PACK).virtualGpuCount());
    List<Device> seventeen = IntStream.range(0, 17).mapToObj(i -> device(i % 16)).toList();
    assertRefused(
        "schedgpu gres: node gpu1, number of devices is 17: use a number from 1 to 16",
        () -> new NodePlan("gpu1", seventeen, 1, "k20m", Order.PACK, true));
  }

  @Test
  void slurmHolds1024VirtualGpus() {
    assertEquals(1024, node(4, 256, Order.PACK).virtualGpuCount());
    assertRefused(
        "schedgpu gres: node gpu1 would have 5 x 205 = 1025 virtual GPUs: use at most 204 shares"
            + " per device; Slurm holds 1024 on a node",
        () -> node(5, 205, Order.PACK));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpu[1-4]", "gpu 1", "", "-gpu", "gpu1.", "gpu1,gpu2", "a=b"})
  void nodeNameIsOneHost(String name) {
    assertRefused(
        "schedgpu gres: node name '"
            + name
            + "' is not a host name: use letters, digits, '-', '_' and '.'; one name for each"
            + " node, no hostlist",
        () -> of(name, "k20m"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"DEFAULT", "default", "ALL"})
  void nodeNameIsNotSlurmsWord(String name) {
    assertRefused(
        "schedgpu gres: node name '"
            + name
            + "' means something else to Slurm: name the node itself",
        () -> of(name, "k20m"));
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", "k20 m", "k20m:2", "a,b", "a(S:0)"})
  void typeIsOneWord(String type) {
    assertRefused(
        "schedgpu gres: GRES type '"
            + type
            + "' is not a word that Slurm takes: use 1 to 63 letters, digits, '_', '-' and '.',"
            + " such as k20m",
        () -> of("gpu1", type));
  }

  @Test
  void deviceIsNamedOnce() {
    Device other = new Device(1, "GPU-0", "/dev/nvidia1", 10, 0, 0, "T4");
    assertRefused(
        "schedgpu gres: node gpu1 has two devices with the index 0: name each device once",
        () -> new NodePlan("gpu1", List.of(device(0), device(0)), 1, "k20m", Order.PACK, true));
    assertRefused(
        "schedgpu gres: node gpu1 has two devices with the UUID GPU-0: name each device once",
        () -> new NodePlan("gpu1", List.of(device(0), other), 1, "k20m", Order.PACK, true));
    Device sameFile = new Device(1, "GPU-1", "/dev/nvidia0", 10, 0, 0, "T4");
    assertRefused(
        "schedgpu gres: node gpu1 has two devices with the file /dev/nvidia0: name each device"
            + " once",
        () -> new NodePlan("gpu1", List.of(device(0), sameFile), 1, "k20m", Order.PACK, true));
  }

  @Test
  void controlFileIsBesideTheDeviceFile() {
    Device device = new Device(0, "GPU-0", "/tmp/x/nvidia0", 10, 0, 0, "T4");
    NodePlan node = new NodePlan("gpu1", List.of(device), 1, "t4", Order.PACK, true);
    assertEquals("/tmp/x/nvidiactl", node.controlFileOf(device));
  }

  @Test
  void controlFileIsNotTheDeviceFile() {
    assertRefused(
        "schedgpu gres: control device file '/dev/nvidia0' is the file of device 0: name another;"
            + " MultipleFiles= with one file is fatal in Slurm",
        () ->
            new NodePlan(
                "gpu1", devices(1), 1, "t4", Order.PACK, true, Optional.of("/dev/nvidia0")));
    assertRefused(
        "schedgpu gres: control device file '/dev/a b' has a blank: use a path without blanks",
        () -> new NodePlan("gpu1", devices(1), 1, "t4", Order.PACK, true, Optional.of("/dev/a b")));
  }

  @Test
  void gresIsWhatSlurmConfHasOfTheGpus() {
    assertEquals("gpu:k20m:12", node(2, 6, Order.SPREAD).gres());
    assertEquals(List.of("gpu"), node(2, 6, Order.SPREAD).gresNames());
  }

  /** Slurm's two daemons disagree about them. */
  @Test
  void typesThatDifferInCaseOnlyAreRefused() {
    List<GpuGroup> groups =
        List.of(
            new DeviceGroup("a100", List.of(Fixtures.device(0)), 2, Order.SPREAD),
            new DeviceGroup("A100", List.of(Fixtures.device(1)), 2, Order.SPREAD));
    Fixtures.assertRefused(
        "schedgpu gres: node gpu1 has the types a100 and A100, which slurmctld counts apart and"
            + " slurmd together: give one another name with --type NAME=TYPE, or correct Type= in"
            + " gres.conf",
        () -> new NodePlan("gpu1", groups, Affinity.NONE, Map.of(), Optional.empty(), false));
  }
}
