package org.schedgpu.gres.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.facts.Device;

/** Checks the groups of a node. */
final class NodePlanCheck {
  private NodePlanCheck() {}

  static void check(String nodeName, List<GpuGroup> groups) {
    Set<Object> seen = new HashSet<>();
    int devices =
        groups.stream()
            .mapToInt(g -> g instanceof DeviceGroup own ? own.devices().size() : 0)
            .sum();
    Check.range("node " + nodeName + ", number of devices", devices, 1, Device.MAX_DEVICES);
    boolean kept = false;
    for (GpuGroup group : groups) {
      requireOtherType(groups, nodeName, group);
      requireAloneWithoutType(groups, nodeName, group);
      requireNew(seen, nodeName, "groups", "type", group.gresType().toLowerCase(Locale.ROOT));
      if (group instanceof DeviceGroup own && !kept) {
        own.devices().forEach(device -> checkDevice(seen, nodeName, device));
      } else if (group instanceof DeviceGroup) {
        throw new IllegalArgumentException("kept groups come last: " + groups);
      }
      kept = group instanceof UnchangedGroup;
    }
    groups.forEach(group -> checkShares(nodeName, group));
    checkCount(nodeName, groups);
  }

  private static void requireOtherType(List<GpuGroup> groups, String nodeName, GpuGroup group) {
    for (GpuGroup other : groups) {
      String type = group.gresType();
      if (!other.gresType().equals(type) && other.gresType().equalsIgnoreCase(type)) {
        throw new GresException(
            "node %s has the types %s and %s, which slurmctld counts apart and slurmd together"
                .formatted(nodeName, type, other.gresType()),
            "give one another name with --type NAME=TYPE, or correct Type= in gres.conf");
      }
    }
  }

  /**
   * Rejects GPUs without a type beside others: Slurm counts a job that names no type for the GPUs
   * of all types and for those without one.
   */
  private static void requireAloneWithoutType(
      List<GpuGroup> groups, String nodeName, GpuGroup group) {
    if (group.gresType().isEmpty() && groups.size() > 1) {
      GpuGroup other = groups.get(groups.get(0) == group ? 1 : 0);
      throw new GresException(
          "node %s would have GPUs without a type beside those of type %s"
              .formatted(nodeName, other.gresType()),
          "give all of them a type with --type, or share all devices of the node alike");
    }
  }

  private static void checkDevice(Set<Object> seen, String nodeName, Device device) {
    requireNew(seen, nodeName, "devices", "index", device.index());
    requireNew(seen, nodeName, "devices", "UUID", device.uuid());
    requireNew(seen, nodeName, "devices", "file", device.file());
  }

  private static void requireNew(
      Set<Object> seen, String nodeName, String things, String what, Object value) {
    if (!seen.add(List.of(what, value))) {
      throw new GresException(
          "node %s has two %s with the %s %s".formatted(nodeName, things, what, value),
          things.equals("devices") ? "name each device once" : "name the types differently");
    }
  }

  private static void checkShares(String nodeName, GpuGroup group) {
    if (group instanceof DeviceGroup own) {
      Check.range(
          "node " + nodeName + ", shares per device",
          own.sharesPerDevice(),
          1,
          NodePlan.MAX_SHARES);
    }
  }

  private static void checkCount(String nodeName, List<GpuGroup> groups) {
    int count = groups.stream().mapToInt(GpuGroup::count).sum();
    if (count <= NodePlan.MAX_GPUS) {
      return;
    }
    if (groups.size() == 1 && groups.get(0) instanceof DeviceGroup own) {
      int devices = own.devices().size();
      throw new GresException(
          "node %s would have %d x %d = %d virtual GPUs"
              .formatted(nodeName, devices, own.sharesPerDevice(), count),
          "use at most %d shares per device; Slurm holds %d on a node"
              .formatted(NodePlan.MAX_GPUS / devices, NodePlan.MAX_GPUS));
    }
    throw new GresException(
        "node %s would have %d GPUs in all".formatted(nodeName, count),
        "use fewer shares per device; Slurm holds %d on a node".formatted(NodePlan.MAX_GPUS));
  }

  /**
   * Checks what Slurm cannot have beside shards.
   *
   * @throws GresException naming it
   */
  static void checkShards(
      String nodeName, List<GpuGroup> groups, Affinity affinity, boolean countsMemory) {
    for (GpuGroup group : groups) {
      if (group instanceof UnchangedGroup) {
        throw new GresException(
            "node %s has MIG instances of type %s, whose lines Slurm counts twice beside shards"
                .formatted(nodeName, group.gresType()),
            "plan it without --by-memory, or leave it out of the facts");
      }
      if (group instanceof DeviceGroup own && own.isShared()) {
        throw new IllegalArgumentException("a device of shards is whole: " + group);
      }
    }
    if (affinity == Affinity.LINKS || countsMemory) {
      throw new IllegalArgumentException("Links= and gpumem are for m x n");
    }
  }

  /** The device and its control file must differ, or Slurm exits. */
  static void controlFile(Device device, String controlFile) {
    Check.path("control device file", controlFile);
    if (controlFile.equals(device.file())) {
      throw new GresException(
          "control device file '" + controlFile + "' is the file of device " + device.index(),
          "name another; MultipleFiles= with one file is fatal in Slurm");
    }
  }

  static GresException noCores(String nodeName, Device device) {
    return new GresException(
        "node %s, the cores near device %d (%s) are not known"
            .formatted(nodeName, device.index(), device.file()),
        "add \"cores\" to its facts (Slurm's Cores=, such as 0-15), give the gres.conf that has"
            + " Cores= with --gres-conf, or use --affinity links");
  }
}
