package org.schedgpu.gres.rollout;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveNode;
import org.schedgpu.gres.live.StartTimes;

/** What is seen before a rollout begins. */
public final class Preflight {
  private Preflight() {}

  /**
   * What whoever is asked should know.
   *
   * @throws org.schedgpu.gres.GresException if slurmctld does not answer
   */
  public static List<String> lines(
      Controller controller, StartTimes.Source starts, List<NodeRecord> nodes) {
    Look look = Look.at(controller, starts);
    List<NodeRecord> changing = nodes.stream().filter(NodeRecord::changes).toList();
    List<String> lines = new ArrayList<>();
    if (changing.isEmpty()) {
      lines.add("the count of no node changes: nothing is drained");
    } else {
      Occupied occupied = Occupied.of(look, changing);
      lines.add(
          occupied.isEmpty()
              ? "no GPU job is on the nodes whose count changes"
              : "to be waited for: " + occupied.text());
    }
    for (NodeRecord node : changing) {
      look.node(node.name())
          .filter(live -> Hold.of(live) == Hold.OTHERS)
          .ifPresent(live -> lines.add(heldLine(live)));
    }
    return lines;
  }

  private static String heldLine(LiveNode live) {
    return "%s is %s and will be left so: %s"
        .formatted(live.name(), live.is("DRAIN") ? "drained" : "down", live.reason());
  }
}
