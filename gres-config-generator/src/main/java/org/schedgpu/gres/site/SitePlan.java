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
 * @param settings paths of prolog, epilog and plugstack.conf
 * @param wishes what else is to be changed
 */
record SitePlan(List<NodeChange> nodes, SlurmConfSettings settings, SiteWishes wishes) {
  SitePlan {
    nodes = List.copyOf(nodes);
  }

  /** Each node's Gres= as it is to be. */
  Map<String, String> gresByNode() {
    Map<String, String> gres = new HashMap<>();
    nodes.forEach(node -> gres.put(node.name(), node.after()));
    return gres;
  }

  Optional<NodeChange> node(String name) {
    return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
  }

  /** Whether a node gets another number of GPUs. */
  boolean countsChange() {
    return nodes.stream()
        .anyMatch(node -> NodeChange.gpus(node.before()) != NodeChange.gpus(node.after()));
  }
}
