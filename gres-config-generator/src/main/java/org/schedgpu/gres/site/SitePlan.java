package org.schedgpu.gres.site;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.SlurmConfSettings;

/**
 * What the rules go by. Immutable.
 *
 * @param nodes the nodes of the plan
 * @param byName the same by NodeName
 * @param settings paths of prolog, epilog and plugstack.conf
 * @param wishes what else is to be changed
 */
record SitePlan(
    List<NodeChange> nodes,
    Map<String, NodeChange> byName,
    SlurmConfSettings settings,
    SiteWishes wishes) {
  SitePlan(List<NodeChange> nodes, SlurmConfSettings settings, SiteWishes wishes) {
    this(List.copyOf(nodes), byName(nodes), settings, wishes);
  }

  private static Map<String, NodeChange> byName(List<NodeChange> nodes) {
    Map<String, NodeChange> byName = new HashMap<>();
    nodes.forEach(node -> byName.put(node.name(), node));
    return byName;
  }

  /** Each node's Gres= as it is to be. */
  Map<String, String> gresByNode() {
    Map<String, String> gres = new HashMap<>();
    nodes.forEach(node -> gres.put(node.name(), node.after()));
    return gres;
  }

  Optional<NodeChange> node(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** Whether a node gets another number of GPUs. */
  boolean countsChange() {
    return nodes.stream()
        .anyMatch(node -> NodeChange.gpus(node.before()) != NodeChange.gpus(node.after()));
  }
}
