package org.schedgpu.gres;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.schedgpu.gres.conf.Hostlist;

/**
 * Makes the plans of nodes from their facts and the rules. The first rule that is for the devices
 * of a type on a node counts. Not thread-safe; for one use.
 */
final class Planner {
  private final List<PlanRule> rules;
  private final TypeNames types;
  private final NodeLayout layout;
  private final Optional<GresConfNow> gresConf;
  private final Set<PlanRule> used = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<String> seenTypes = new TreeSet<>();
  private final List<String> leftNodes = new ArrayList<>();
  private final Map<String, List<String>> leftTypes = new LinkedHashMap<>();

  /** What all nodes have in common. */
  record NodeLayout(Affinity affinity, Optional<String> controlFile, boolean countsMemory) {}

  /**
   * @param gresConf the one in place, if it is known
   */
  Planner(
      List<PlanRule> rules, TypeNames types, NodeLayout layout, Optional<GresConfNow> gresConf) {
    this.rules = List.copyOf(rules);
    this.types = types;
    this.layout = layout;
    this.gresConf = gresConf;
  }

  /**
   * The nodes that a rule is for.
   *
   * @throws GresException if a rule is for nothing, or asks for what a node cannot give
   */
  List<NodePlan> plan(List<NodeFacts> facts) {
    List<NodePlan> plans = new ArrayList<>();
    facts.forEach(node -> planOf(node).ifPresent(plans::add));
    for (PlanRule rule : rules) {
      if (!used.contains(rule) && !rule.text().isEmpty()) {
        throw new GresException(
            "rule %s is for no device of the facts that is left to it"
                .formatted(Check.quoted(rule.text())),
            "correct nodes= or type= (the types are %s), or put it before the rule that takes them"
                .formatted(String.join(", ", seenTypes)));
      }
    }
    types.requireAllUsed();
    return plans;
  }

  /** Which devices no rule is for. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (!leftNodes.isEmpty()) {
      notes.add("no rule is for %s: left as it is".formatted(Hostlist.compress(leftNodes)));
    }
    leftTypes.forEach(
        (type, nodes) ->
            notes.add(
                "no rule is for type %s of %s: its devices stay whole"
                    .formatted(type, Hostlist.compress(nodes))));
    return notes;
  }

  private Optional<NodePlan> planOf(NodeFacts node) {
    Map<String, List<Device>> byType = new LinkedHashMap<>();
    for (Device device : node.devices()) {
      byType.computeIfAbsent(types.of(device), type -> new ArrayList<>()).add(device);
    }
    seenTypes.addAll(byType.keySet());
    Groups groups = new Groups(node);
    byType.forEach(groups::add);
    if (groups.shared.isEmpty()) {
      leftNodes.add(node.nodeName());
      return Optional.empty();
    }
    groups.left.keySet().forEach(type -> left(type, node));
    return Optional.of(
        new NodePlan(
            node.nodeName(),
            groups.all(),
            layout.affinity(),
            cores(node),
            layout.controlFile(),
            layout.countsMemory()));
  }

  private void left(String type, NodeFacts node) {
    leftTypes.computeIfAbsent(type, t -> new ArrayList<>()).add(node.nodeName());
  }

  private Map<Integer, String> cores(NodeFacts node) {
    Map<Integer, String> cores = new HashMap<>();
    if (layout.affinity() == Affinity.CORES) {
      for (Device device : node.devices()) {
        Optional.ofNullable(device.cores())
            .or(() -> gresConf.flatMap(conf -> conf.cores(node.nodeName(), device.file())))
            .ifPresent(list -> cores.put(device.index(), list));
      }
    }
    return cores;
  }

  /** The groups of one node while they are made. */
  private final class Groups {
    private final NodeFacts node;
    private final List<DeviceGroup> shared = new ArrayList<>();
    private final Map<String, List<Device>> whole = new LinkedHashMap<>();
    private final Map<String, List<Device>> left = new LinkedHashMap<>();

    Groups(NodeFacts node) {
      this.node = node;
    }

    void add(String type, List<Device> devices) {
      Optional<PlanRule> rule =
          rules.stream().filter(r -> r.matches(node.nodeName(), type)).findFirst();
      List<Device> usable = devices.stream().filter(device -> !isMig(device)).toList();
      if (rule.isPresent()) {
        used.add(rule.get());
        requireNoMig(devices, usable);
        share(rule.get(), type, devices);
      } else if (!usable.isEmpty()) {
        left.put(type, usable);
      }
    }

    private boolean isMig(Device device) {
      return device.isInMigMode()
          || gresConf.map(conf -> conf.isMig(node.nodeName(), device.file())).orElse(false);
    }

    private void requireNoMig(List<Device> devices, List<Device> usable) {
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
            "node %s has %d devices of type %s, and %d are to stay exclusive"
                .formatted(node.nodeName(), devices.size(), type, keep),
            "keep at most %d exclusive, or leave the node to no rule"
                .formatted(devices.size() - 1));
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

    /** Shares first: a job that names no type gets the first that is free. */
    List<GpuGroup> all() {
      List<GpuGroup> all = new ArrayList<>(shared);
      whole.forEach((type, devices) -> all.add(DeviceGroup.whole(type, devices)));
      left.forEach((type, devices) -> all.add(DeviceGroup.whole(type, devices)));
      gresConf.ifPresent(conf -> all.addAll(conf.kept(node.nodeName())));
      return all;
    }
  }
}
