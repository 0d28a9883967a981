package org.schedgpu.gres.rollout;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.live.LiveNode;

/**
 * The next step of a rollout, as a function of what is written down, what is seen, and what this
 * process tried. The one rule above all: slurmctld is restarted only in the step after a look that
 * showed every node that changes closed and without a GPU in use. And a slurmd of such a node is
 * restarted only after a look that showed the same of the node.
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

  /** Without the time of a slurmd's start it cannot be seen later that it was started again. */
  private List<String> unregistered() {
    return names(
        record.nodes().stream()
            .filter(node -> !snapshot.starts().slurmds().containsKey(node.name()))
            .filter(node -> snapshot.node(node.name()).isPresent())
            .filter(node -> !live(node).is("DOWN") && !live(node).is("NOT_RESPONDING"))
            .toList());
  }

  /** Nodes of which somebody else holds, or held, than is written down. */
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
   * A node that did not yet register has the count of the slurm.conf that slurmctld read; from
   * Slurm 24.05 on it still has the old one, whatever its state says, and only then can be judged.
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
            : new Step.Enter(Phase.CLEARING, problem + ": it has to be restarted again");
      }
      if (isOld && !live.get().is("DOWN")) { // of one that is down nobody knows when it registers
        unregistered.add(node.name());
      }
    }
    return unregistered.isEmpty() || attempts.timeUp()
        ? new Step.Enter(Phase.NODES, "slurmctld has the new counts")
        : new Step.AwaitNodes(
            unregistered, unregistered.get(0) + " has not registered with slurmctld");
  }

  /** A node with a job shows MIXED before it registered: only its slurmd's start tells. */
  private boolean isRegistered(NodeRecord node) {
    return snapshot.starts().slurmds().containsKey(node.name());
  }

  private Step nodes() {
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
    return waiting.isEmpty() || attempts.timeUp()
        ? new Step.Enter(Phase.RESUMING, "")
        : new Step.AwaitNodes(waiting, first);
  }

  /** Nodes that change and whose slurmd has yet to be restarted. */
  private List<NodeRecord> notRestarted() {
    return record.changing().stream()
        .filter(node -> !node.done() && snapshot.node(node.name()).isPresent())
        .filter(node -> !NodeProblem.isRestarted(node, snapshot))
        .filter(node -> !attempts.slurmds().contains(node.name()))
        .toList();
  }

  /** Somebody resumed a node meanwhile: a job that starts there would get other devices. */
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
    // A node that is resumed does not respond until slurmctld has asked it.
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
          "mend that and repeat with --continue, or go back with --revert");
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

  /** A node that was down when it was found is not waited for. */
  private boolean mayStayDown(NodeRecord node) {
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
