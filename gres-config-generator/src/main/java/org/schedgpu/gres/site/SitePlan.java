package org.schedgpu.gres.site;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The input of the rules: the nodes of the plan, the paths of hooks, and the requested changes.
 * Immutable.
 */
final class SitePlan {
  private final Map<String, NodeChange> nodes = new LinkedHashMap<>();
  private final SlurmConfSettings settings;
  private final SiteRequest request;

  SitePlan(List<NodeChange> nodes, SlurmConfSettings settings, SiteRequest request) {
    nodes.forEach(node -> this.nodes.put(node.name(), node));
    this.settings = settings;
    this.request = request;
  }

  SlurmConfSettings settings() {
    return settings;
  }

  SiteRequest request() {
    return request;
  }

  /** The planned Gres= of each node. */
  Map<String, String> gresByNode() {
    Map<String, String> gres = new LinkedHashMap<>();
    nodes.forEach((name, node) -> gres.put(name, node.after()));
    return gres;
  }

  Collection<NodeChange> nodes() {
    return nodes.values();
  }

  Optional<NodeChange> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /** True if a node gets another number of GPUs. */
  boolean countsChange() {
    return nodes.values().stream()
        .anyMatch(node -> NodeChange.gpus(node.before()) != NodeChange.gpus(node.after()));
  }
}
