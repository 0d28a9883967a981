package org.schedgpu.gres.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.live.LiveNode;
import org.schedgpu.gres.rollout.DrainOwner;
import org.schedgpu.gres.rollout.Gpus;
import org.schedgpu.gres.rollout.NodeRecord;

/**
 * Determines the nodes of a rollout: those of its plan, and all others whose GPUs would change with
 * it.
 */
final class RolloutNodes {
  private static final Pattern CHECKABLE = Pattern.compile("gpu(:[^:,()]+)?:[0-9]+");

  private RolloutNodes() {}

  /**
   * The nodes, with those of the plan first.
   *
   * @param named nodes of the plan, or of the rollout that is undone
   * @param target Gres= of all nodes in the new slurm.conf
   * @param moved nodes on which an index would stand for another device
   * @param follows id of the rollout that this one continues, if any
   * @throws GresException if slurmctld does not know a named node or would lose one, or if another
   *     rollout has drained one
   */
  static List<NodeRecord> of(
      List<String> named,
      Map<String, String> target,
      List<LiveNode> live,
      Set<String> moved,
      Optional<String> follows) {
    Map<String, LiveNode> byName = new LinkedHashMap<>();
    live.forEach(node -> byName.put(node.name(), node));
    List<NodeRecord> nodes = new ArrayList<>();
    Set<String> all = new LinkedHashSet<>(named);
    all.addAll(byName.keySet());
    for (String name : all) {
      LiveNode node = byName.get(name);
      if (node == null) {
        throw new GresException(
            "node " + name + " of the plan is not known to slurmctld",
            "correct its name, or add it to slurm.conf and restart slurmctld first");
      }
      if (!target.containsKey(name)) {
        throw new GresException(
            "node " + name + " is not in the planned slurm.conf",
            "a node with jobs must not vanish: correct slurm.conf");
      }
      boolean isTakenOver = isDrainedBy(follows, node);
      Gpus now = Gpus.of(node.gres());
      Gpus then = Gpus.of(target.get(name));
      boolean changes =
          !now.equals(then) || node.is("INVALID_REG") || moved.contains(name) || isTakenOver;
      if (changes || named.contains(name)) {
        nodes.add(NodeRecord.of(name, now.toString(), then.toString(), changes));
      }
    }
    return nodes;
  }

  /**
   * True if an unfinished rollout drained the node; the rollout that continues it resumes the node.
   */
  private static boolean isDrainedBy(Optional<String> rollout, LiveNode node) {
    if (!node.is("DRAIN") || !node.reason().startsWith(DrainOwner.REASON)) {
      return false;
    }
    if (!node.reason().equals(DrainOwner.REASON + rollout.orElse(""))) {
      throw new GresException(
          "node %s is drained by another rollout (%s), which is not known here"
              .formatted(node.name(), node.reason()),
          "end that one where it was begun; if it is lost, give the node another reason");
    }
    return true;
  }

  /**
   * Rejects a plan that contradicts its own slurm.conf.
   *
   * @param planned Gres= by node; empty text if the plan does not contain it
   */
  static void requireSame(Map<String, String> planned, Map<String, String> target) {
    planned.forEach(
        (name, gres) -> {
          Gpus then = Gpus.of(target.get(name));
          if (!gres.isEmpty() && target.containsKey(name) && !then.equals(Gpus.of(gres))) {
            throw new GresException(
                "node %s would have %s in slurm.conf, %s in the plan".formatted(name, then, gres),
                "plan with --slurm-conf, so that slurm.conf is part of the plan");
          }
        });
  }

  /** The nodes that {@code slurmd -G} can check. */
  static Map<String, String> checkable(List<NodeRecord> nodes) {
    Map<String, String> gres = new LinkedHashMap<>();
    nodes.stream()
        .filter(node -> CHECKABLE.matcher(node.after()).matches())
        .forEach(node -> gres.put(node.name(), node.after()));
    return gres;
  }
}
