package org.schedgpu.gres.rollout;

import java.util.Optional;
import java.util.TreeSet;
import org.schedgpu.gres.live.LiveNode;

/**
 * A problem of a node after the restarts.
 *
 * @param text the problem; follows the name of the node in a message
 * @param isFinal whether waiting does not help
 */
record NodeProblem(String text, boolean isFinal) {

  /** The problem of a node; empty if it can be resumed. */
  static Optional<NodeProblem> of(NodeRecord node, ClusterSnapshot snapshot, Attempts attempts) {
    Optional<LiveNode> seen = snapshot.node(node.name());
    if (seen.isEmpty()) {
      return some("is not known to slurmctld", true);
    }
    LiveNode live = seen.get();
    if (!isRestarted(node, snapshot)) {
      String failed = attempts.failed().get(node.name());
      return failed == null
          ? some("has not registered with a restarted slurmd", false)
          : some("has a slurmd that was not restarted: " + failed, true);
    }
    if (live.is("INVALID_REG") || live.is("INVAL")) {
      return some(
          "is refused by slurmctld (INVALID_REG): its slurmd has not " + node.after(), true);
    }
    if (!Gpus.of(live.gres()).equals(Gpus.of(node.after()))) {
      return some("has " + Gpus.of(live.gres()) + ", not " + node.after(), true);
    }
    if (live.is("NOT_RESPONDING") || live.is("DOWN") || live.is("UNKNOWN")) {
      return some(
          "does not respond (" + String.join("+", new TreeSet<>(live.states())) + ")", false);
    }
    return Optional.empty();
  }

  /**
   * True if the node's slurmd was restarted. A new slurmctld does not know when a slurmd started
   * until it registers.
   */
  static boolean isRestarted(NodeRecord node, ClusterSnapshot snapshot) {
    String start = snapshot.starts().slurmds().get(node.name());
    return start != null && !start.equals(node.slurmdStart());
  }

  private static Optional<NodeProblem> some(String text, boolean isFinal) {
    return Optional.of(new NodeProblem(text, isFinal));
  }
}
