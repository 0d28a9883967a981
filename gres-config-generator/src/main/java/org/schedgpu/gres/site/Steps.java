package org.schedgpu.gres.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.schedgpu.gres.common.DevicesLink;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.SlurmConfig;

/**
 * The steps on a live cluster, in order. They follow from experiments with Slurm 22.05: scontrol
 * reconfigure rejects another count (24.11 and 26.05 apply it, and kill GPU jobs), and a restart of
 * slurmctld requeues running GPU jobs if the count differs.
 */
final class Steps {
  /** Keys that slurmctld and slurmd read again without a restart. */
  private static final Set<String> BY_RECONFIGURE =
      Set.of("prolog", "epilog", "prologepilogtimeout", "plugstackconfig");

  private static final String APPLY = "schedgpu gres apply --plan plan.json --check";

  private final SlurmConfig config;
  private final List<NodeChange> nodes;
  private final Set<String> touched;
  private final Set<String> fileNames;
  private final Set<String> moved;

  /**
   * @param touched keys for the cluster that change
   * @param fileNames changed files
   * @param moved nodes on which an index would mean another device, so that a running job would
   *     lose its own
   */
  Steps(
      SlurmConfig config,
      List<NodeChange> nodes,
      Set<String> touched,
      Set<String> fileNames,
      Set<String> moved) {
    this.config = config;
    this.nodes = nodes;
    this.touched = touched;
    this.fileNames = fileNames;
    this.moved = moved;
  }

  /** Empty if nothing changes. */
  List<Step> all() {
    if (fileNames.isEmpty()) {
      return List.of();
    }
    List<String> drained = drained();
    return drained.isEmpty() ? others() : counts(Hostlist.compress(drained));
  }

  /** Nodes with other counts or types, or another device behind an index. */
  private List<String> drained() {
    List<String> changed =
        nodes.stream()
            .filter(node -> node.changes() || moved.contains(node.name()))
            .map(NodeChange::name)
            .toList();
    boolean linesOnly = changed.isEmpty() && fileNames.contains("gres.conf");
    return linesOnly ? nodes.stream().map(NodeChange::name).toList() : changed;
  }

  private List<Step> counts(String hosts) {
    List<Step> steps = new ArrayList<>();
    steps.add(
        Step.of(
            "Let no new job start on the nodes that change; jobs that run go on.",
            "scontrol update nodename=%s state=drain reason=\"schedgpu: new GPU count\""
                .formatted(hosts)));
    steps.add(
        Step.of(
            "Wait until no GPU job runs there. Those that still run at step 4 are killed and"
                + " requeued (a job without --requeue is lost); from Slurm 23.11 on also by"
                + " anybody's scontrol reconfigure once step 3 is done.",
            "squeue --nodelist=%s --states=running,suspended,completing -o \"%%i %%u %%T %%b\""
                .formatted(hosts)));
    steps.add(
        Step.of(
            "Put the files in place, as one set; on each host that has its own copy. "
                + filesText(),
            place()));
    steps.add(
        Step.of(
            "Restart slurmctld, on the backup controllers too. Jobs on other nodes go on; nodes"
                + " whose slurmd has the old count are INVAL until step 5.",
            "systemctl restart slurmctld"));
    steps.add(
        Step.of(
            "Restart slurmd on %s. Running steps go on. %s%s"
                .formatted(slurmds(hosts), newer(), afterFewer()),
            "systemctl restart slurmd"));
    steps.add(
        Step.of(
            "Take the nodes back, and let one job run.",
            "scontrol update nodename=%s state=resume".formatted(hosts),
            "srun --nodelist=%s --gres=gpu:1 hostname".formatted(nodes.get(0).name())));
    steps.add(
        Step.of(
            "Instead of steps 1 to 6, in one command that waits for the jobs, stops at the first"
                + " node that is not right, and can be continued or taken back:",
            "schedgpu gres rollout --plan plan.json"));
    return steps;
  }

  private List<Step> others() {
    List<Step> steps = new ArrayList<>();
    steps.add(
        Step.of("Put the files in place; no node has to be drained. " + filesText(), place()));
    boolean reconfigure =
        touched.stream()
                .allMatch(key -> BY_RECONFIGURE.contains(key.toLowerCase(java.util.Locale.ROOT)))
            && !fileNames.contains("cgroup.conf");
    if (reconfigure) {
      steps.add(Step.of("Let the daemons read them; no job is touched.", "scontrol reconfigure"));
    } else {
      steps.add(
          Step.of(
              "Restart slurmctld, then slurmd on every node; jobs go on, those that run keep what"
                  + " they began with.",
              "systemctl restart slurmctld",
              "systemctl restart slurmd"));
    }
    return steps;
  }

  /** Files that every host needs, not only the nodes of the plan. */
  private String slurmds(String hosts) {
    boolean everywhere = touched.stream().anyMatch(key -> !key.equals("AccountingStorageTRES"));
    int others = config.nodes().size() - nodes.size();
    return everywhere && others > 0
        ? "every node, not only %s: all read %s".formatted(hosts, String.join(", ", touched))
        : hosts;
  }

  private static String newer() {
    return "From Slurm 23.11 on one scontrol reconfigure may take the place of steps 4 and 5.";
  }

  private String[] place() {
    return fileNames.contains(DevicesLink.NAME)
        ? new String[] {
          APPLY,
          "%s   # once on each GPU node; a copy where Slurm is configless"
              .formatted(DevicesLink.command(config.tree().files().get(0).path().getParent()))
        }
        : new String[] {APPLY};
  }

  private String afterFewer() {
    return nodes.stream().anyMatch(NodeChange::shrinks)
        ? " With Slurm 23.02 restart slurmctld once more after it: else every step with a GPU fails"
            + " (\"Invalid generic resource\")."
        : "";
  }

  private String filesText() {
    return "Changed: " + String.join(", ", fileNames) + ".";
  }
}
