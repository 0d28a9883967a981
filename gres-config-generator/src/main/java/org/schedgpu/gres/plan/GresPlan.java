package org.schedgpu.gres.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.site.SlurmConfSettings;

/**
 * A plan for the nodes of a cluster. Immutable and thread-safe.
 *
 * @param nodes at least one; every node once
 * @param settings the settings of slurm.conf other than counts
 * @param removesShards whether Slurm's own sharing (shard, mps) is removed from the nodes; if
 *     false, such nodes are rejected
 */
public record GresPlan(List<NodePlan> nodes, SlurmConfSettings settings, boolean removesShards) {

  /**
   * @throws GresException if the list is empty, a node occurs twice, or the settings name a node
   *     that is not in the plan
   */
  public GresPlan {
    nodes = List.copyOf(nodes);
    if (nodes.isEmpty()) {
      throw new GresException("the plan has no node (0 given)", "give the facts of at least one");
    }
    Set<String> names = new HashSet<>();
    for (NodePlan node : nodes) {
      if (!names.add(node.nodeName())) {
        throw new GresException(
            "node " + node.nodeName() + " is in the plan twice", "name each node once");
      }
    }
    Set<String> unknown = new TreeSet<>(settings.nodeParameters().keySet());
    unknown.removeAll(names);
    if (!unknown.isEmpty()) {
      throw new GresException(
          "there are parameters for " + String.join(", ", unknown) + ", not a node of the plan",
          "correct the name or add the node's facts");
    }
  }

  /** The names of its nodes. */
  public Set<String> nodeNames() {
    return nodes.stream().map(NodePlan::nodeName).collect(Collectors.toSet());
  }

  /** A plan that removes nothing. */
  public GresPlan(List<NodePlan> nodes, SlurmConfSettings settings) {
    this(nodes, settings, false);
  }

  /** A plan with the default settings. */
  public GresPlan(List<NodePlan> nodes) {
    this(nodes, SlurmConfSettings.defaults());
  }

  /** True if memory is counted in shards. It is so on all nodes or on none. */
  public boolean hasShards() {
    return nodes.get(0).shards().isPresent();
  }

  /** The rule by which Links= is written. */
  public LinkRule linkRule() {
    return nodes.get(0).linkRule();
  }
}
