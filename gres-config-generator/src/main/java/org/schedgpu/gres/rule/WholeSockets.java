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
 * Checks that Cores= contains whole sockets. From Slurm 24.05 on, part of a socket makes a node
 * INVAL (seen with 24.11 and 26.05: "doesn't match socket boundaries"); a node with only CPUs= has
 * a socket for each core.
 */
public final class WholeSockets {
  private static final SlurmVersion FIRST = new SlurmVersion(24, 5);

  private WholeSockets() {}

  /**
   * Checks all nodes; does nothing for older releases, or without Cores=.
   *
   * @param coresPerSocket CoresPerSocket= in slurm.conf, by node name
   * @throws GresException if Slurm would reject a node
   */
  public static void require(
      SlurmVersion version, List<NodePlan> nodes, Function<String, OptionalInt> coresPerSocket) {
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
        node.coresByDevice().values().forEach(list -> require(version, node, list, cores));
      }
    }
  }

  private static void require(
      SlurmVersion version, NodePlan node, String list, OptionalInt coresPerSocket) {
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
  }

  private static GresException refused(
      NodePlan node, SlurmVersion version, String why, String what) {
    return new GresException(
        "node %s: Slurm %s takes Cores= of whole sockets only, and %s"
            .formatted(node.nodeName(), version, why),
        what + " use --affinity links");
  }
}
