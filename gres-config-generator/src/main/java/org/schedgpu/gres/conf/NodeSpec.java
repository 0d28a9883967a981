package org.schedgpu.gres.conf;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Resolves {@code Nodes=} of a partition: ALL, node sets, hostlists. */
final class NodeSpec {
  private final Map<String, SlurmNode> nodes;
  private final List<ConfLine> nodeSets;

  NodeSpec(Map<String, SlurmNode> nodes, List<ConfLine> nodeSets) {
    this.nodes = nodes;
    this.nodeSets = nodeSets;
  }

  /**
   * The nodes in the order of their definition.
   *
   * @param line the line to name in an error
   */
  List<SlurmNode> resolve(ConfLine line, String spec) {
    if (spec.equalsIgnoreCase("ALL")) {
      return List.copyOf(nodes.values());
    }
    Set<String> names = new HashSet<>(NodeLines.expand(line, spec));
    nodeSets.forEach(set -> replace(set, names));
    List<SlurmNode> found = new ArrayList<>();
    nodes.values().stream().filter(node -> names.remove(node.name())).forEach(found::add);
    if (!names.isEmpty()) {
      throw line.place()
          .error(
              "Nodes= names %s, which no NodeName= or NodeSet= defines".formatted(first(names)),
              "define the node or take it out");
    }
    return found;
  }

  /**
   * A node set may name sets that are defined after it, but not before it: Slurm resolves them in
   * one pass.
   */
  private void replace(ConfLine set, Set<String> names) {
    if (!names.remove(set.pairs().get(0).value())) {
      return;
    }
    set.value("Feature")
        .ifPresent(
            feature ->
                nodes.values().stream()
                    .filter(node -> node.features().contains(feature))
                    .forEach(node -> names.add(node.name())));
    set.value("Nodes").ifPresent(list -> names.addAll(NodeLines.expand(set, list)));
  }

  private static String first(Collection<String> names) {
    List<String> sorted = names.stream().sorted().limit(3).toList();
    return String.join(",", sorted) + (names.size() > 3 ? ",..." : "");
  }
}
