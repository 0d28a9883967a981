package org.schedgpu.gres.rule;

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
import java.util.function.Function;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.CurrentGresConf;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.LinkRule;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.ShardRule;

/**
 * Makes plans of nodes from their facts and the rules. The first rule that matches the devices of a
 * type on a node applies. For one use, not thread-safe.
 */
public final class Planner {
  private final List<PlanRule> rules;
  private final TypeNames types;
  private final CurrentTypes typesNow;
  private final NodeLayout layout;
  private final Optional<CurrentGresConf> gresConf;
  private final Set<PlanRule> used = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<String> seenTypes = new TreeSet<>();
  private final List<String> leftNodes = new ArrayList<>();
  private final Map<String, List<String>> leftTypes = new LinkedHashMap<>();

  /** The settings that all nodes have in common. */
  public record NodeLayout(
      Affinity affinity,
      Optional<String> controlFile,
      boolean countsMemory,
      LinkRule linkRule,
      Optional<ShardRule> shards) {}

  /**
   * A planner for these rules.
   *
   * @param gresConf the file in place, if it is known
   * @param gresOf by node name, Gres= of slurm.conf; empty text if it is not known
   */
  public Planner(
      List<PlanRule> rules,
      TypeNames types,
      NodeLayout layout,
      Optional<CurrentGresConf> gresConf,
      Function<String, String> gresOf) {
    this.rules = List.copyOf(rules);
    this.types = types;
    this.layout = layout;
    this.gresConf = gresConf;
    this.typesNow = new CurrentTypes(gresConf, gresOf, rules);
  }

  /**
   * Makes the plans of all nodes that a rule matches.
   *
   * @throws GresException if a rule matches no device, or a node cannot satisfy it
   */
  public List<NodePlan> plan(List<NodeFacts> facts) {
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

  /** Notes on devices that no rule matched. */
  public List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (!leftNodes.isEmpty()) {
      notes.add("no rule is for %s: left as it is".formatted(Hostlist.compress(leftNodes)));
    }
    seenTypes.stream()
        .filter(Check::isCount)
        .forEach(
            type ->
                notes.add(
                    "type %1$s is a number: jobs ask for gpu:%1$s:1, because Slurm takes gpu:%1$s for %1$s GPUs"
                        .formatted(type)));
    leftTypes.forEach(
        (type, nodes) ->
            notes.add(
                "no rule is for type %s of %s: its devices stay whole"
                    .formatted(type, Hostlist.compress(nodes))));
    return notes;
  }

  private Optional<NodePlan> planOf(NodeFacts node) {
    Map<Integer, String> now = typesNow.of(node);
    Map<String, List<Device>> byType = new LinkedHashMap<>();
    for (Device device : node.devices()) {
      String type = types.of(device, Optional.ofNullable(now.get(device.index())));
      byType.computeIfAbsent(type, t -> new ArrayList<>()).add(device);
    }
    seenTypes.addAll(byType.keySet());
    NodeGroups groups = new NodeGroups(node, gresConf);
    byType.forEach((type, devices) -> groups.add(type, devices, rule(node, type)));
    if (!groups.isPlanned()) {
      leftNodes.add(node.nodeName());
      return Optional.empty();
    }
    groups.leftTypes().forEach(type -> left(type, node));
    return Optional.of(
        new NodePlan(
            node.nodeName(),
            groups.all(),
            layout.affinity(),
            cores(node),
            layout.controlFile(),
            layout.countsMemory(),
            layout.linkRule(),
            layout.shards()));
  }

  private Optional<PlanRule> rule(NodeFacts node, String type) {
    Optional<PlanRule> rule =
        rules.stream().filter(r -> r.matches(node.nodeName(), type)).findFirst();
    rule.ifPresent(used::add);
    return rule;
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
}
