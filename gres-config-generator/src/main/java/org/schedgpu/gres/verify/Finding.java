package org.schedgpu.gres.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.conf.Hostlist;

/**
 * A problem that verify found.
 *
 * @param node the node; empty: it concerns no single node
 * @param what is not right
 * @param action what to do about it; {@value #NODES} stands for the node
 */
public record Finding(String node, String what, String action) {
  /** The place of the node's name, so that nodes with the same problem can share a line. */
  static final String NODES = "{nodes}";

  static Finding ofCluster(String what, String action) {
    return new Finding("", what, action);
  }

  /** With the node's name in its place. */
  Finding complete() {
    return new Finding(node, what, action.replace(NODES, node));
  }

  /** One line for each problem, with the nodes that share it as a hostlist. */
  static List<String> lines(List<Finding> findings) {
    Map<List<String>, List<String>> nodesByTrouble = new LinkedHashMap<>();
    for (Finding finding : findings) {
      nodesByTrouble
          .computeIfAbsent(List.of(finding.what(), finding.action()), key -> new ArrayList<>())
          .add(finding.node());
    }
    List<String> lines = new ArrayList<>();
    nodesByTrouble.forEach(
        (trouble, nodes) -> {
          String names = nodes.get(0).isEmpty() ? "" : Hostlist.compress(nodes);
          lines.add(
              (names.isEmpty() ? "" : names + ": ")
                  + trouble.get(0)
                  + ": "
                  + trouble.get(1).replace(NODES, names));
        });
    return lines;
  }
}
