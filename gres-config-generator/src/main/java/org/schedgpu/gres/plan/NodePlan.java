package org.schedgpu.gres.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.facts.Device;

/**
 * How the devices of one node are shared. Immutable and thread-safe.
 *
 * @param nodeName Slurm's NodeName, one host, no hostlist
 * @param groups groups in the order of Slurm's indexes; both Gres= and gres.conf are written from
 *     this list. Unchanged groups come last. All types differ; 1 to 16 devices with different
 *     indexes, UUIDs and files; at most 1024 GPUs, the size of Slurm's bitmap of one GRES
 *     (MAX_GRES_BITMAP in its source)
 * @param affinity what gres.conf says of how the devices belong together
 * @param coresByDevice for {@link Affinity#CORES}, Cores= of each device by its index
 * @param controlFile control device file that jobs need beside the device; empty: {@code nvidiactl}
 *     in the same folder
 * @param countsMemory whether the memory of the shared devices is a GRES of its own, gpumem
 * @param linkRule for {@link Affinity#LINKS}, the rule by which Links= is written
 * @param shards how memory becomes shards; then all devices are whole ones in gres.conf. Empty: m x
 *     n virtual GPUs
 */
public record NodePlan(
    String nodeName,
    List<GpuGroup> groups,
    Affinity affinity,
    Map<Integer, String> coresByDevice,
    Optional<String> controlFile,
    boolean countsMemory,
    LinkRule linkRule,
    Optional<ShardRule> shards) {

  public static final int MAX_SHARES = 256;
  static final int MAX_GPUS = 1024;
  public static final String GPU = "gpu";
  public static final String MEMORY = "gpumem";
  public static final String SHARD = "shard";
  private static final long MIB = 1L << 20;

  /**
   * @throws GresException if a value is outside its range, two devices or types are equal, or a
   *     device lacks the Cores= that it needs
   */
  public NodePlan {
    Check.nodeName(nodeName);
    groups = List.copyOf(groups);
    Objects.requireNonNull(affinity, "affinity");
    Objects.requireNonNull(linkRule, "linkRule");
    coresByDevice = Map.copyOf(coresByDevice);
    NodePlanCheck.check(nodeName, groups);
    if (shards.isPresent()) {
      NodePlanCheck.checkShards(nodeName, groups, affinity, countsMemory);
    }
    for (DeviceGroup group : own(groups)) {
      for (Device device : group.devices()) {
        NodePlanCheck.controlFile(device, controlFile.orElse(besideOf(device)));
        if (affinity == Affinity.CORES && !coresByDevice.containsKey(device.index())) {
          throw NodePlanCheck.noCores(nodeName, device);
        }
      }
    }
  }

  /** A plan of m x n virtual GPUs. */
  public NodePlan(
      String nodeName,
      List<GpuGroup> groups,
      Affinity affinity,
      Map<Integer, String> coresByDevice,
      Optional<String> controlFile,
      boolean countsMemory,
      LinkRule linkRule) {
    this(
        nodeName,
        groups,
        affinity,
        coresByDevice,
        controlFile,
        countsMemory,
        linkRule,
        Optional.empty());
  }

  /** A plan for a Slurm before 24.05. */
  public NodePlan(
      String nodeName,
      List<GpuGroup> groups,
      Affinity affinity,
      Map<Integer, String> coresByDevice,
      Optional<String> controlFile,
      boolean countsMemory) {
    this(
        nodeName, groups, affinity, coresByDevice, controlFile, countsMemory, LinkRule.MOST_LINKED);
  }

  /** A plan with one group, and with Links= or nothing. */
  public NodePlan(
      String nodeName,
      List<Device> devices,
      int sharesPerDevice,
      String gresType,
      Order order,
      boolean links,
      Optional<String> controlFile) {
    this(
        nodeName,
        List.of(new DeviceGroup(gresType, devices, sharesPerDevice, order)),
        links ? Affinity.LINKS : Affinity.NONE,
        Map.of(),
        controlFile,
        false);
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

  private static List<DeviceGroup> own(List<GpuGroup> groups) {
    return groups.stream()
        .filter(DeviceGroup.class::isInstance)
        .map(DeviceGroup.class::cast)
        .toList();
  }

  private static String besideOf(Device device) {
    String file = device.file();
    return file.substring(0, file.lastIndexOf('/') + 1) + "nvidiactl";
  }

  /** The groups of devices that schedGPU manages. */
  public List<DeviceGroup> deviceGroups() {
    return own(groups);
  }

  /** All devices, in the order of the groups. */
  public List<Device> devices() {
    return deviceGroups().stream().flatMap(group -> group.devices().stream()).toList();
  }

  /** The control device file that a job needs to open beside the device's own. */
  public String controlFileOf(Device device) {
    return controlFile.orElse(besideOf(device));
  }

  /**
   * The GPU part of the node's Gres= in slurm.conf, in the order of the indexes: {@code
   * gpu:k20m:12,gpumem:4736M}. What else the node has (a network card) is not in it.
   */
  public String gres() {
    Stream<String> gpus = groups.stream().map(GpuGroup::gres);
    Stream<String> memory = memoryMib().stream().mapToObj(mib -> MEMORY + ":" + mib + "M");
    Stream<String> shard = shards.stream().map(rule -> SHARD + ":" + shardCount());
    return Stream.of(gpus, memory, shard).flatMap(s -> s).collect(Collectors.joining(","));
  }

  /** The names of {@link #gres}, which GresTypes= needs: {@code gpu}, {@code gpumem}. */
  public List<String> gresNames() {
    if (shards.isPresent()) {
      return List.of(GPU, SHARD);
    }
    return memoryMib().isPresent() ? List.of(GPU, MEMORY) : List.of(GPU);
  }

  /** The shards of a device; 0 without shards. */
  public long shardsOf(Device device) {
    return shards.map(rule -> rule.countOf(nodeName, device)).orElse(0L);
  }

  /** The shards of all devices. */
  public long shardCount() {
    return devices().stream().mapToLong(this::shardsOf).sum();
  }

  /** The memory of all shared devices that jobs can get, in MiB, if memory is counted. */
  public OptionalLong memoryMib() {
    long bytes =
        deviceGroups().stream()
            .filter(DeviceGroup::isShared)
            .flatMap(group -> group.devices().stream())
            .mapToLong(Device::usableBytes)
            .sum();
    return countsMemory && bytes >= MIB ? OptionalLong.of(bytes / MIB) : OptionalLong.empty();
  }

  /** The number of virtual GPUs on managed devices, whole ones included. */
  public int virtualGpuCount() {
    return deviceGroups().stream().mapToInt(DeviceGroup::count).sum();
  }

  /** The number of GPUs that Slurm has on the node. */
  public int gpuCount() {
    return groups.stream().mapToInt(GpuGroup::count).sum();
  }

  /**
   * The virtual GPUs in the order of their indexes. Every file is written from this list, so the
   * files cannot contradict each other.
   */
  public List<VirtualGpu> virtualGpus() {
    List<VirtualGpu> all = new ArrayList<>();
    for (DeviceGroup group : deviceGroups()) {
      for (int position = 0; position < group.count(); position++) {
        all.add(new VirtualGpu(all.size(), group.device(position)));
      }
    }
    return all;
  }

  /** Indexes of the virtual GPUs of each device, ascending, by the device's index. */
  public Map<Integer, List<Integer>> virtualIndexes() {
    Map<Integer, List<Integer>> indexes = new LinkedHashMap<>();
    devices().forEach(device -> indexes.put(device.index(), new ArrayList<>()));
    virtualGpus().forEach(gpu -> indexes.get(gpu.device().index()).add(gpu.index()));
    return indexes;
  }

  /** Indexes of the virtual GPUs of one device, ascending. */
  public List<Integer> virtualIndexesOf(Device device) {
    return virtualIndexes().getOrDefault(device.index(), List.of());
  }
}
