package org.schedgpu.gres.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.live.GpuCounts;
import org.schedgpu.gres.live.LiveNode;

/** Compares the plan for one node with slurmctld's state of it. */
final class NodeCheck {
  private static final String RESUME =
      "scontrol update nodename=" + Finding.NODES + " state=resume";

  /** No job can run there, and none of the reasons above applies. */
  private static final List<String> UNUSABLE = List.of("FUTURE", "FAIL", "ERROR", "UNKNOWN");

  private NodeCheck() {}

  /**
   * @param confGres the node's Gres= in the folder's slurm.conf, if it could be read
   */
  static List<Finding> check(
      PlannedNode planned, Optional<LiveNode> live, Optional<String> confGres) {
    boolean confIsRight = confGres.map(gres -> GpuCounts.same(gres, planned.gres())).orElse(true);
    if (live.isEmpty()) {
      return List.of(
          new Finding(
              planned.name(),
              "slurmctld has no such node",
              confGres.isPresent()
                  ? "it is in slurm.conf: restart slurmctld"
                  : "define it in slurm.conf and restart slurmctld, or plan without it"));
    }
    List<Finding> findings = new ArrayList<>();
    if (!GpuCounts.same(live.get().gres(), planned.gres())) {
      findings.add(wrongGres(planned, live.get(), confIsRight));
    } else if (!confIsRight) {
      findings.add(
          new Finding(
              planned.name(),
              "slurm.conf has " + GpuCounts.shown(confGres.orElse("")) + ", not " + planned.gres(),
              "put Gres=" + planned.gres() + " into it before slurmctld restarts"));
    }
    state(live.get()).ifPresent(findings::add);
    return findings;
  }

  private static Finding wrongGres(PlannedNode planned, LiveNode live, boolean confIsRight) {
    return new Finding(
        planned.name(),
        "slurmctld has " + GpuCounts.shown(live.gres()) + ", not " + planned.gres(),
        confIsRight
            ? "drain it of GPU jobs, then restart slurmctld and its slurmd"
            : "put Gres="
                + planned.gres()
                + " into slurm.conf, drain it of GPU jobs, then restart slurmctld and its slurmd");
  }

  private static Optional<Finding> state(LiveNode node) {
    String why = node.reason().isEmpty() ? "" : " (" + node.reason() + ")";
    if (node.is("INVALID_REG")) {
      return finding(
          node,
          "INVAL" + why,
          "its slurmd found other GPUs than slurm.conf has: see gres.conf and the devices there,"
              + " restart slurmd, then "
              + RESUME);
    }
    if (node.is("DOWN") || node.is("NOT_RESPONDING")) {
      return finding(
          node,
          (node.is("DOWN") ? "DOWN" : "does not respond") + why,
          "start slurmd there or see its log"
              + (node.is("DRAIN") ? ", then " + RESUME : "; just after a resume, ask again"));
    }
    if (node.is("DRAIN")) {
      return finding(node, "DRAIN" + why, "when that is repaired, " + RESUME);
    }
    return UNUSABLE.stream()
        .filter(node::is)
        .findFirst()
        .flatMap(state -> finding(node, state + why, "no job runs there: see scontrol show node"));
  }

  private static Optional<Finding> finding(LiveNode node, String what, String action) {
    return Optional.of(new Finding(node.name(), what, action));
  }

  /** The word in the table. */
  static String word(LiveNode node) {
    for (String state : List.of("INVALID_REG", "DOWN", "NOT_RESPONDING", "DRAIN")) {
      if (node.is(state)) {
        return state.equals("INVALID_REG") ? "INVAL" : state;
      }
    }
    return node.states().stream()
        .filter(List.of("IDLE", "MIXED", "ALLOCATED")::contains)
        .findFirst()
        .orElse(String.join("+", node.states().stream().sorted().toList()));
  }
}
