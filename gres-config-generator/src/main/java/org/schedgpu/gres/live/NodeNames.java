package org.schedgpu.gres.live;

import java.util.regex.Pattern;

/** Checks node names for commands of Slurm that would also take hostlists and ALL. */
final class NodeNames {
  private static final Pattern ONE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  private NodeNames() {}

  /**
   * @throws LiveException if it is not the name of a single node
   */
  static String one(String node) {
    if (!ONE.matcher(node).matches() || node.equalsIgnoreCase("ALL")) {
      throw new LiveException(
          "'" + node.replaceAll("\\p{Cntrl}", "?") + "' is not the name of one node",
          "name each node by itself");
    }
    return node;
  }
}
