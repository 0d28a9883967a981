package org.schedgpu.gres.rollout;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.live.LiveNode;

/**
 * Decides the next step of a rollout from the record, a snapshot of the cluster, and what this
 * process has tried. The main rule: slurmctld is restarted only directly after a snapshot in which
 * every changing node was drained or down and had no GPU in use. The same holds for restarting the
 * slurmd of such a node.
 */
final class Decision {
  private final RolloutRecord record;
  private final ClusterSnapshot snapshot;
  private final Attempts attempts;

  private Decision(RolloutRecord record, ClusterSnapshot snapshot, Attempts attempts) {
    this.record = record;
    this.snapshot = snapshot;
    this.attempts = attempts;
  }

  static Step next(RolloutRecord record, ClusterSnapshot snapshot, Attempts attempts) {
    Decision decision = new Decision(record, snapshot, attempts);
    return switch (record.phase()) {
      case CLEARING -> decision.clearing();
      case RESTARTING -> decision.restarting();
      case NODES -> decision.nodes();
      case RESUMING -> decision.resuming();
      case DONE, ENDED -> new Step.Finish();
    };
  }

  private Step clearing() {
    for (NodeRecord node : record.changing()) {
      if (snapshot.node(node.name()).isEmpty()) {
        return unknown(node);
      }
    }
    List<NodeRecord> noted = newHolds();
    if (!noted.isEmpty()) {
      return new Step.Note(noted, holdLine(noted));
    }
    List<String> open = toDrain();
    if (!open.isEmpty()) {
      return new Step.Drain(open);
    }
    RemainingJobs remainingJobs = RemainingJobs.of(snapshot, record.changing());
    if (!remainingJobs.isEmpty()) {
      return new Step.AwaitJobs(remainingJobs);
    }
    if (!record.filesChanged()) {
      return new Step.ChangeFiles();
    }
    if (!record.distributed() && record.commands().distribute() != null) {
      return new Step.Distribute(names(record.nodes()));
    }
    List<String> unregistered = unregistered();
    return unregistered.isEmpty() || attempts.timeUp()
        ? new Step.Enter(Phase.RESTARTING, "no GPU job is on the nodes")
        : new Step.AwaitNodes(
            unregistered, unregistered.get(0) + " has not registered with slurmctld");
  }

  /**
   * Nodes whose slurmd start time is not known; without it a restart could not be noticed later.
   */
  private List<String> unregistered() {
    return names(
        record.nodes().stream()
            .filter(node -> !snapshot.starts().slurmds().containsKey(node.name()))
            .filter(node -> snapshot.node(node.name()).isPresent())
            .filter(node -> !live(node).is("DOWN") && !live(node).is("NOT_RESPONDING"))
            .toList());
  }

  /** Nodes that were drained or resumed by others since the record was written. */
  private List<NodeRecord> newHolds() {
    List<NodeRecord> noted = new ArrayList<>();
    for (NodeRecord node : record.changing()) {
      LiveNode live = live(node);
      DrainOwner hold = DrainOwner.of(live, record, node.hold());
      String found = hold == DrainOwner.OTHERS ? shown(live) : null;
      if (hold != node.hold() || !Objects.equals(found, node.found())) {
        noted.add(node.held(hold, found));
      }
    }
    return noted;
  }

  private String holdLine(List<NodeRecord> noted) {
    List<String> others =
        noted.stream()
            .filter(node -> node.hold() == DrainOwner.OTHERS)
            .map(node -> node.name() + " (" + node.found() + ")")
            .toList();
    return others.isEmpty()
        ? ""
        : "drained or down already, to be left so: " + String.join(", ", others);
  }

  private List<String> toDrain() {
    return names(
        record.changing().stream()
            .filter(node -> node.hold() == DrainOwner.OURS)
            .filter(node -> !live(node).is("DRAIN") || !live(node).reason().equals(record.reason()))
            .toList());
  }

  private Step restarting() {
    if (!snapshot.starts().slurmctld().equals(record.controllerStart())) {
      return restarted();
    }
    Optional<String> danger = danger();
    if (danger.isPresent()) {
      return new Step.Enter(Phase.CLEARING, danger.get() + ": slurmctld is not restarted yet");
    }
    if (record.commands().restartSlurmctld() == null || attempts.controller()) {
      return attempts.timeUp()
          ? new Step.Stop(
              "slurmctld runs since %s and was not restarted, though its command ended well"
                  .formatted(record.controllerStart()),
              "correct --restart-slurmctld and repeat with --continue")
          : new Step.AwaitController();
    }
    return new Step.RestartController();
  }

  private Optional<String> danger() {
    for (NodeRecord node : record.changing()) {
      if (snapshot.node(node.name()).isEmpty() || !DrainOwner.isClosed(live(node))) {
        return Optional.of("node " + node.name() + " was resumed by somebody");
      }
    }
    RemainingJobs remainingJobs = RemainingJobs.of(snapshot, record.changing());
    return remainingJobs.isEmpty() ? Optional.empty() : Optional.of(remainingJobs.text());
  }

  /**
   * Checks the counts of the restarted slurmctld. A node that has not yet registered shows the
   * count in slurmctld's slurm.conf. From Slurm 23.11 on it then still has the old count, whatever
   * its state, and only then the check means anything.
   */
  private Step restarted() {
    List<String> unregistered = new ArrayList<>();
    for (NodeRecord node : record.changing()) {
      Optional<LiveNode> live = snapshot.node(node.name());
      if (live.isEmpty()) {
        return unknown(node);
      }
      Gpus has = Gpus.of(live.get().gres());
      boolean isOld = !live.get().is("INVALID_REG") && !has.equals(Gpus.of(node.after()));
      boolean mayBeRestored = has.equals(Gpus.of(node.before())) && !isRegistered(node);
      if (isOld && !mayBeRestored) {
        String problem =
            "slurmctld was restarted, but has %s for node %s, not %s"
                .formatted(has, node.name(), node.after());
        return attempts.controller()
            ? new Step.Stop(
                problem, "see that it reads the slurm.conf of the rollout, then --continue")
            : new Step.Enter(Phase.CLEARING, problem + ": restart it again");
      }
      if (isOld && !live.get().is("DOWN")) { // it is not known when a node that is down registers
        unregistered.add(node.name());
      }
    }
    return unregistered.isEmpty() || attempts.timeUp()
        ? new Step.Enter(Phase.NODES, "slurmctld has the new counts")
        : new Step.AwaitNodes(
            unregistered, unregistered.get(0) + " has not registered with slurmctld");
  }

  /**
   * A node with a job shows MIXED before it has registered; only the start time of its slurmd
   * tells.
   */
  private boolean isRegistered(NodeRecord node) {
    return snapshot.starts().slurmds().containsKey(node.name());
  }

  private Step nodes() {
    if (attempts.again() == Attempts.Again.REQUESTED) {
      return attempts.timeUp()
          ? new Step.Stop(
              "slurmctld was not restarted once more, after the slurmds",
              "restart it, and repeat with --continue")
          : new Step.AwaitController();
    }
    Optional<Step> close = closeAgain();
    if (close.isPresent()) {
      return close.get();
    }
    RemainingJobs remainingJobs = RemainingJobs.of(snapshot, notRestarted());
    List<String> restart = new ArrayList<>();
    List<String> waiting = new ArrayList<>();
    String first = "";
    for (NodeRecord node : record.nodes()) {
      Optional<NodeProblem> problem = node.done() ? Optional.empty() : problem(node);
      if (problem.isEmpty()) {
        continue;
      }
      if (record.commands().restartSlurmd() != null && !attempts.slurmds().contains(node.name())) {
        if (remainingJobs.isOn(node.name())) {
          continue;
        }
        restart.add(node.name());
      } else if (!problem.get().isFinal() && !mayStayDown(node)) {
        first = first.isEmpty() ? node.name() + " " + problem.get().text() : first;
        waiting.add(node.name());
      }
    }
    if (!restart.isEmpty()) {
      return new Step.RestartSlurmds(restart);
    }
    if (!remainingJobs.isEmpty() && record.commands().restartSlurmd() != null) {
      return new Step.AwaitJobs(remainingJobs);
    }
    if (!waiting.isEmpty() && !attempts.timeUp()) {
      return new Step.AwaitNodes(waiting, first);
    }
    return attempts.again() == Attempts.Again.DUE
        ? new Step.RestartAgain()
        : new Step.Enter(Phase.RESUMING, "");
  }

  /** Changing nodes whose slurmd must still be restarted. */
  private List<NodeRecord> notRestarted() {
    return record.changing().stream()
        .filter(node -> !node.done() && snapshot.node(node.name()).isPresent())
        .filter(node -> !NodeProblem.isRestarted(node, snapshot))
        .filter(node -> !attempts.slurmds().contains(node.name()))
        .toList();
  }

  /** Drains a node again that someone resumed: a job that starts there would get other devices. */
  private Optional<Step> closeAgain() {
    List<NodeRecord> open =
        notRestarted().stream().filter(node -> !DrainOwner.isClosed(live(node))).toList();
    List<NodeRecord> noted =
        open.stream()
            .filter(node -> node.hold() != DrainOwner.OURS)
            .map(node -> node.held(DrainOwner.OURS, null))
            .toList();
    if (!noted.isEmpty()) {
      return Optional.of(new Step.Note(noted, ""));
    }
    return open.isEmpty() ? Optional.empty() : Optional.of(new Step.Drain(names(open)));
  }

  private Step resuming() {
    for (NodeRecord node : record.nodes()) {
      if (!node.done()) {
        return resuming(node);
      }
    }
    return new Step.Finish();
  }

  private Step resuming(NodeRecord node) {
    Optional<NodeProblem> problem = problem(node);
    Optional<LiveNode> live = snapshot.node(node.name());
    boolean isTheirs =
        node.hold() == DrainOwner.OTHERS
            || live.map(l -> DrainOwner.of(l, record, node.hold()) == DrainOwner.OTHERS)
                .orElse(false);
    if (node.changes() && isTheirs) {
      return new Step.Close(node.name(), leftAsItIs(live, problem));
    }
    // A resumed node does not respond until slurmctld has contacted it.
    boolean isAsked =
        attempts.resumed().contains(node.name())
            && problem.map(p -> !p.isFinal()).orElse(false)
            && !attempts.timeUp();
    if (isAsked) {
      return awaitNode(node, problem.get().text());
    }
    if (problem.isPresent()) {
      return new Step.Stop(
          "node " + node.name() + " " + problem.get().text() + ", " + rest(),
          "correct that and repeat with --continue, or go back with --revert");
    }
    if (!node.changes() || !live.orElseThrow().is("DRAIN")) {
      return new Step.Close(node.name(), null);
    }
    if (!attempts.resumed().contains(node.name())) {
      return new Step.Resume(node.name());
    }
    return attempts.timeUp()
        ? new Step.Stop(
            "node " + node.name() + " was resumed but is still drained", "repeat with --continue")
        : awaitNode(node, "is not yet resumed");
  }

  private static Step awaitNode(NodeRecord node, String why) {
    return new Step.AwaitNodes(List.of(node.name()), node.name() + " " + why);
  }

  private static String leftAsItIs(Optional<LiveNode> live, Optional<NodeProblem> problem) {
    String state = live.map(Decision::shown).orElse("unknown to slurmctld");
    return "left as it is: " + state + problem.map(p -> "; it " + p.text()).orElse("");
  }

  private String rest() {
    List<String> left =
        names(
            record.changing().stream()
                .filter(node -> !node.done() && node.hold() == DrainOwner.OURS)
                .toList());
    return left.isEmpty() ? "after it nothing was done" : "still drained: " + NodeList.of(left);
  }

  private Optional<NodeProblem> problem(NodeRecord node) {
    return NodeProblem.of(node, snapshot, attempts);
  }

  /**
   * The nodes that an ended rollout leaves although others did not take them: those that it drained
   * itself, and those whose slurmd has not the new count. Without nodes that were down before.
   */
  static List<String> left(RolloutRecord record, ClusterSnapshot snapshot) {
    return names(
        record.nodes().stream()
            .filter(node -> node.note() != null && !mayStayDown(node))
            .filter(
                node ->
                    node.hold() == DrainOwner.OURS
                        || NodeProblem.of(node, snapshot, Attempts.nothing()).isPresent())
            .toList());
  }

  /** True for a node that was down from the beginning; the rollout does not wait for it. */
  private static boolean mayStayDown(NodeRecord node) {
    return node.hold() == DrainOwner.OTHERS
        && node.found() != null
        && node.found().contains("DOWN");
  }

  private LiveNode live(NodeRecord node) {
    return snapshot.node(node.name()).orElseThrow();
  }

  private static String shown(LiveNode live) {
    String state = Stream.of("DOWN", "DRAIN").filter(live::is).collect(Collectors.joining("+"));
    if (state.isEmpty()) {
      return "in service";
    }
    return live.reason().isEmpty() ? state : state + ", " + live.reason();
  }

  private static Step unknown(NodeRecord node) {
    return new Step.Stop(
        "node " + node.name() + " is not known to slurmctld",
        "correct its name, or add it to slurm.conf first");
  }

  private static List<String> names(List<NodeRecord> nodes) {
    return nodes.stream().map(NodeRecord::name).toList();
  }
}
