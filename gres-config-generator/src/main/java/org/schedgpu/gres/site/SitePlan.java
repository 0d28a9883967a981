package org.schedgpu.gres.site;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.plan.NodePlan;

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

  /** The GRES of the plan that jobs ask for, gpu first. */
  List<String> gresNames() {
    Stream<String> others =
        nodes.values().stream()
            .flatMap(node -> GresSpec.parse(node.after()).stream())
            .map(GresSpec::name)
            .filter(name -> name.equals(NodePlan.SHARD) || name.equals(NodePlan.MEMORY))
            .distinct()
            .sorted();
    return Stream.concat(Stream.of(NodePlan.GPU), others).toList();
  }

  /** True if a node gets shards that had none. */
  boolean bringsShards() {
    return nodes.values().stream()
        .anyMatch(
            node -> NodeChange.shards(node.before()) == 0 && NodeChange.shards(node.after()) > 0);
  }

  /** True if a node gets another number of GPUs. */
  boolean countsChange() {
    return nodes.values().stream()
        .anyMatch(node -> NodeChange.gpus(node.before()) != NodeChange.gpus(node.after()));
  }
}
