package org.schedgpu.gres.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.NodePlan;

/** Finds Cores= beyond the cores of a node: mostly numbers of threads, as lscpu has them. */
public final class CoreNumbers {
  private CoreNumbers() {}

  /**
   * A warning for each node that has such.
   *
   * @param coreCount the cores in slurm.conf, by node name
   */
  public static List<String> check(List<NodePlan> nodes, Function<String, OptionalInt> coreCount) {
    List<String> warnings = new ArrayList<>();
    for (NodePlan node : nodes) {
      OptionalInt cores = coreCount.apply(node.nodeName());
      if (node.affinity() == Affinity.CORES && cores.isPresent()) {
        node.coresByDevice().values().stream()
            .filter(list -> last(list) >= cores.getAsInt())
            .findFirst()
            .ifPresent(list -> warnings.add(warning(node.nodeName(), list, cores.getAsInt())));
      }
    }
    return warnings;
  }

  private static int last(String list) {
    return Hostlist.expand("[" + list + "]").stream().mapToInt(Integer::parseInt).max().orElse(0);
  }

  private static String warning(String node, String list, int cores) {
    return "node %s has %d cores in slurm.conf (0-%d), and Cores=%s goes beyond: slurmd calls it invalid; Cores= takes Slurm's numbers of cores, not those of threads: correct \"cores\" of the facts, or use --affinity links"
        .formatted(node, cores, cores - 1, list);
  }
}
