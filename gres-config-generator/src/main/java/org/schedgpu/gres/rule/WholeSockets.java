package org.schedgpu.gres.rule;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.NodePlan;

/**
 * Checks that Cores= contains what Slurm takes: from 24.11 on whole sockets, from 25.11 on one
 * socket or all cores of the node. Else the node is INVAL ("doesn't match socket boundaries"; seen
 * with 24.11 to 26.05, and not with 24.05.8). A node with only CPUs= has a socket for each core.
 */
public final class WholeSockets {
  private static final SlurmVersion FIRST = new SlurmVersion(24, 11);
  private static final SlurmVersion ONE_SOCKET = new SlurmVersion(25, 11);

  private WholeSockets() {}

  /**
   * Checks all nodes; does nothing for older releases, or without Cores=.
   *
   * @param coresPerSocket CoresPerSocket= in slurm.conf, by node name
   * @param coreCount all cores, likewise
   * @throws GresException if Slurm would reject a node
   */
  public static void require(
      SlurmVersion version,
      List<NodePlan> nodes,
      Function<String, OptionalInt> coresPerSocket,
      Function<String, OptionalInt> coreCount) {
    if (version.compareTo(FIRST) < 0) {
      return;
    }
    for (NodePlan node : nodes) {
      if (node.affinity() == Affinity.CORES) {
        OptionalInt cores = coresPerSocket.apply(node.nodeName());
        if (cores.isEmpty()) {
          throw refused(
              node, version, "its CoresPerSocket= is not known", "give --slurm-conf with it, or");
        }
        OptionalInt all = coreCount.apply(node.nodeName());
        node.coresByDevice().values().forEach(list -> require(version, node, list, cores, all));
      }
    }
  }

  private static void require(
      SlurmVersion version,
      NodePlan node,
      String list,
      OptionalInt coresPerSocket,
      OptionalInt coreCount) {
    int size = coresPerSocket.getAsInt();
    Map<Integer, Integer> countBySocket = new HashMap<>();
    Hostlist.expand("[" + list + "]")
        .forEach(core -> countBySocket.merge(Integer.parseInt(core) / size, 1, Integer::sum));
    Optional<Integer> part =
        countBySocket.entrySet().stream()
            .filter(socket -> socket.getValue() != size)
            .map(Map.Entry::getKey)
            .findFirst();
    if (part.isPresent()) {
      int first = part.get() * size;
      throw refused(
          node,
          version,
          "Cores=%s is part of socket %d (cores %d-%d)"
              .formatted(list, part.get(), first, first + size - 1),
          "correct \"cores\" of the facts or CoresPerSocket= of slurm.conf, or");
    }
    int sockets = countBySocket.size();
    boolean all = coreCount.isPresent() && coreCount.getAsInt() == sockets * size;
    if (version.compareTo(ONE_SOCKET) >= 0 && sockets > 1 && !all) {
      throw refused(
          node,
          version,
          "Cores=%s is %d sockets, neither one nor all".formatted(list, sockets),
          "give each device one socket in \"cores\" of the facts, or");
    }
  }

  private static GresException refused(
      NodePlan node, SlurmVersion version, String why, String what) {
    return new GresException(
        "node %s: Slurm %s takes Cores= of %s only, and %s"
            .formatted(
                node.nodeName(),
                version,
                version.compareTo(ONE_SOCKET) < 0 ? "whole sockets" : "one socket or all cores",
                why),
        what + " use --affinity links");
  }
}
