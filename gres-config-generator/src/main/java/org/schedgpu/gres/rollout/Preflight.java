package org.schedgpu.gres.rollout;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveNode;
import org.schedgpu.gres.live.StartTimes;

/** What a rollout checks before it begins. */
public final class Preflight {
  private Preflight() {}

  /**
   * Lines that the user should read before agreeing.
   *
   * @throws org.schedgpu.gres.common.GresException if slurmctld does not answer
   */
  public static List<String> lines(
      Controller controller, StartTimes.Source starts, List<NodeRecord> nodes) {
    ClusterSnapshot snapshot = ClusterSnapshot.at(controller, starts);
    List<NodeRecord> changing = nodes.stream().filter(NodeRecord::changes).toList();
    List<String> lines = new ArrayList<>();
    if (changing.isEmpty()) {
      lines.add("neither count nor order of a node changes: nothing is drained");
    } else {
      RemainingJobs remainingJobs = RemainingJobs.of(snapshot, changing);
      lines.add(
          remainingJobs.isEmpty()
              ? "the nodes to drain have no GPU job"
              : "to be waited for: " + remainingJobs.text());
    }
    for (NodeRecord node : changing) {
      snapshot
          .node(node.name())
          .filter(live -> node.hold() != DrainOwner.OURS && isHeldByOthers(live))
          .ifPresent(live -> lines.add(heldLine(live)));
    }
    return lines;
  }

  private static boolean isHeldByOthers(LiveNode live) {
    return live.is("DRAIN") ? !live.reason().startsWith(DrainOwner.REASON) : live.is("DOWN");
  }

  private static String heldLine(LiveNode live) {
    return "%s is %s and will be left so: %s"
        .formatted(live.name(), live.is("DRAIN") ? "drained" : "down", live.reason());
  }
}
