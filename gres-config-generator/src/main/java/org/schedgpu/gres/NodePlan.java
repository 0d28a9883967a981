package org.schedgpu.gres;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * How the devices of one node are shared. Immutable, so safe for use by several threads.
 *
 * @param nodeName Slurm's NodeName, one host, no hostlist
 * @param devices 1 to 16 devices; different indexes, UUIDs and files; their order is the order of
 *     the lines
 * @param sharesPerDevice n, virtual GPUs of each device, 1 to 256; at most 1024 on the node, what
 *     Slurm's bitmap of one GRES holds (MAX_GRES_BITMAP in its source)
 * @param gresType Slurm's Type, one for the node: with several, Slurm numbers the virtual GPUs by
 *     the order in slurm.conf
 * @param order which device fills first
 * @param links whether Links= tells Slurm to prefer different devices for a job of several GPUs
 * @param controlFile control device file beside the device's; empty: {@code nvidiactl} in its
 *     folder
 */
public record NodePlan(
    String nodeName,
    List<Device> devices,
    int sharesPerDevice,
    String gresType,
    Order order,
    boolean links,
    Optional<String> controlFile) {

  static final int MAX_SHARES = 256;
  private static final int MAX_VIRTUAL_GPUS = 1024;

  /**
   * @throws GresException if a value is outside its range or two devices are the same
   */
  public NodePlan {
    Check.nodeName(nodeName);
    devices = List.copyOf(devices);
    checkDevices(nodeName, devices);
    Check.range("node " + nodeName + ", shares per device", sharesPerDevice, 1, MAX_SHARES);
    checkVirtualGpus(nodeName, devices.size(), sharesPerDevice);
    Check.gresType(gresType);
    Objects.requireNonNull(order, "order");
    for (Device device : devices) {
      checkControlFile(device, controlFile);
    }
  }

  /** As above, with the control device file beside the device's. */
  public NodePlan(
      String nodeName,
      List<Device> devices,
      int sharesPerDevice,
      String gresType,
      Order order,
      boolean links) {
    this(nodeName, devices, sharesPerDevice, gresType, order, links, Optional.empty());
  }

  private static void checkDevices(String nodeName, List<Device> devices) {
    Check.range("node " + nodeName + ", number of devices", devices.size(), 1, Device.MAX_DEVICES);
    Set<Object> seen = new HashSet<>();
    for (Device device : devices) {
      requireNew(seen, nodeName, "index", device.index());
      requireNew(seen, nodeName, "UUID", device.uuid());
      requireNew(seen, nodeName, "file", device.file());
    }
  }

  private static void requireNew(Set<Object> seen, String nodeName, String what, Object value) {
    if (!seen.add(List.of(what, value))) {
      throw new GresException(
          "node %s has two devices with the %s %s".formatted(nodeName, what, value),
          "name each device once");
    }
  }

  private static void checkVirtualGpus(String nodeName, int devices, int shares) {
    if (devices * shares > MAX_VIRTUAL_GPUS) {
      throw new GresException(
          "node %s would have %d x %d = %d virtual GPUs"
              .formatted(nodeName, devices, shares, devices * shares),
          "use at most %d shares per device; Slurm holds %d on a node"
              .formatted(MAX_VIRTUAL_GPUS / devices, MAX_VIRTUAL_GPUS));
    }
  }

  private static void checkControlFile(Device device, Optional<String> controlFile) {
    String file = Check.path("control device file", controlFile.orElse(besideOf(device)));
    if (file.equals(device.file())) {
      throw new GresException(
          "control device file '" + file + "' is the file of device " + device.index(),
          "name another; MultipleFiles= with one file is fatal in Slurm");
    }
  }

  private static String besideOf(Device device) {
    String file = device.file();
    return file.substring(0, file.lastIndexOf('/') + 1) + "nvidiactl";
  }

  /** The control device file that a job needs to open beside the device's own. */
  public String controlFileOf(Device device) {
    return controlFile.orElse(besideOf(device));
  }

  /**
   * The GPU part of the node's Gres= in slurm.conf, in the order of the indexes: {@code
   * gpu:k20m:12}. What else the node has (a network card) is not in it.
   */
  public String gres() {
    return "gpu:%s:%d".formatted(gresType, virtualGpuCount());
  }

  /** The names of {@link #gres}, which GresTypes= needs: {@code gpu}. */
  public List<String> gresNames() {
    return List.of("gpu");
  }

  /** m x n, the virtual GPUs of the node. */
  public int virtualGpuCount() {
    return devices.size() * sharesPerDevice;
  }

  /**
   * The virtual GPUs in the order of their indexes. Every file is written from this list, so they
   * cannot disagree.
   */
  public List<VirtualGpu> virtualGpus() {
    return IntStream.range(0, virtualGpuCount())
        .mapToObj(index -> new VirtualGpu(index, deviceBehind(index)))
        .toList();
  }

  private Device deviceBehind(int index) {
    return devices.get(order.devicePosition(index, devices.size(), sharesPerDevice));
  }

  /** Indexes of the virtual GPUs of one device, ascending. */
  public List<Integer> virtualIndexesOf(Device device) {
    return virtualGpus().stream()
        .filter(virtual -> virtual.device().equals(device))
        .map(VirtualGpu::index)
        .toList();
  }
}
