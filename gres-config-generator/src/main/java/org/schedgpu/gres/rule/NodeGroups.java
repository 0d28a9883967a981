package org.schedgpu.gres.rule;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.CurrentGresConf;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.GpuGroup;

/** Collects the groups of one node. Not thread-safe. */
final class NodeGroups {
  private final NodeFacts node;
  private final Optional<CurrentGresConf> gresConf;
  private final List<DeviceGroup> shared = new ArrayList<>();
  private final Map<String, List<Device>> whole = new LinkedHashMap<>();
  private final Map<String, List<Device>> left = new LinkedHashMap<>();

  /**
   * @param gresConf the file in place, if it is known
   */
  NodeGroups(NodeFacts node, Optional<CurrentGresConf> gresConf) {
    this.node = node;
    this.gresConf = gresConf;
  }

  /** True if a rule matched some of the devices. */
  boolean isPlanned() {
    return !shared.isEmpty();
  }

  /** The types that no rule matched. */
  Set<String> leftTypes() {
    return left.keySet();
  }

  /**
   * Adds the devices of a type.
   *
   * @param rule the rule for them; empty: they stay whole
   * @throws GresException if the devices cannot satisfy the rule
   */
  void add(String type, List<Device> devices, Optional<PlanRule> rule) {
    List<Device> usable = devices.stream().filter(device -> !isMig(device)).toList();
    if (rule.isPresent()) {
      requireNoMig(devices, usable);
      share(rule.get(), type, devices);
    } else if (!usable.isEmpty()) {
      left.put(type, usable);
    }
  }

  private boolean isMig(Device device) {
    return device.inMigMode()
        || gresConf.map(conf -> conf.isMig(node.nodeName(), device.file())).orElse(false);
  }

  private void requireNoMig(List<Device> devices, List<Device> usable) {
    if (usable.size() == devices.size()) {
      return;
    }
    for (Device device : devices) {
      if (!usable.contains(device)) {
        throw new GresException(
            "node %s, device %d (%s) is in MIG mode and cannot be shared"
                .formatted(node.nodeName(), device.index(), device.file()),
            "take it out of the facts, its MIG instances stay as they are; or switch MIG off");
      }
    }
  }

  private void share(PlanRule rule, String type, List<Device> devices) {
    int keep = rule.keepExclusive();
    if (keep >= devices.size()) {
      throw new GresException(
          "node %s has %d devices of type %s, and %d shall stay exclusive"
              .formatted(node.nodeName(), devices.size(), type.isEmpty() ? "''" : type, keep),
          "keep at most %d exclusive, or leave the node to no rule".formatted(devices.size() - 1));
    }
    List<Device> first = devices.subList(0, devices.size() - keep);
    int shares = rule.shares().sharesOf(new NodeFacts(node.nodeName(), node.cpus(), first));
    shared.add(new DeviceGroup(type, first, shares, rule.order()));
    if (keep > 0) {
      whole
          .computeIfAbsent(rule.exclusiveType(), t -> new ArrayList<>())
          .addAll(devices.subList(devices.size() - keep, devices.size()));
    }
  }

  /** All groups, shares first: a job that names no type gets the first free GPU. */
  List<GpuGroup> all() {
    List<GpuGroup> all = new ArrayList<>(shared);
    whole.forEach((type, devices) -> all.add(DeviceGroup.whole(type, devices)));
    left.forEach((type, devices) -> all.add(DeviceGroup.whole(type, devices)));
    gresConf.ifPresent(conf -> all.addAll(conf.kept(node.nodeName())));
    return all;
  }
}
