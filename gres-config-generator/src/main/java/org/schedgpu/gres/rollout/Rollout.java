package org.schedgpu.gres.rollout;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveException;
import org.schedgpu.gres.live.LiveNode;
import org.schedgpu.gres.live.StartTimes;

/**
 * Carries out the steps of {@link Decision}, starting from any record. Each change of the cluster
 * is recorded before it is made, so the process may be killed between any two instructions. Used by
 * one thread.
 */
public final class Rollout {
  private final Controller controller;
  private final StartTimes.Source starts;
  private final RecordStore store;
  private final ConfigStep files;
  private final Shell shell;
  private final Report report;
  private final WaitTimer waitTimer;

  private RolloutRecord record;
  private boolean controllerTried;
  private final Set<String> slurmdsTried = new HashSet<>();
  private final Map<String, String> failed = new HashMap<>();
  private final Set<String> resumed = new HashSet<>();
  private Optional<Boolean> restoresTopology = Optional.empty();
  private Optional<String> againFrom = Optional.empty();
  private Optional<Long> jobsSinceNs = Optional.empty();

  public Rollout(
      RolloutRecord record,
      Controller controller,
      StartTimes.Source starts,
      RecordStore store,
      ConfigStep files,
      Shell shell,
      Report report,
      Ticker ticker) {
    this.record = record;
    this.controller = controller;
    this.starts = starts;
    this.store = store;
    this.files = files;
    this.shell = shell;
    this.report = report;
    waitTimer = new WaitTimer(ticker, report);
  }

  /** The current record. */
  public RolloutRecord record() {
    return record;
  }

  /** Runs to the end, or to a point where a person is needed. */
  public RolloutResult run() {
    try {
      Optional<RolloutResult> ending = retryFailures();
      while (ending.isEmpty()) {
        ending = step();
      }
      return ending.get();
    } catch (GresException e) {
      return new RolloutResult(RolloutResult.Kind.STOPPED, e.getMessage());
    } catch (RuntimeException e) {
      return RolloutResult.stopped("unexpected: " + e, "repeat with --continue, and tell us");
    }
  }

  private Optional<RolloutResult> step() {
    ClusterSnapshot snapshot;
    try {
      snapshot = ClusterSnapshot.at(controller, starts);
      if (record.phase() == Phase.NODES && restoresTopology.isEmpty() && isSmaller()) {
        restoresTopology =
            Optional.of(
                controller.slurmVersion().map(SlurmVersion::parse).stream()
                    .anyMatch(SlurmVersion::restoresTopology));
      }
    } catch (LiveException e) {
      return unreachable(e);
    }
    Step step = Decision.next(record, snapshot, attempts(snapshot));
    boolean isDrainedAgain = step instanceof Step.Drain && waitTimer.isFor(Step.Drain.class);
    if (isDrainedAgain) {
      waitTimer.pauseBriefly();
    }
    waitTimer.waitFor(step.getClass());
    return carryOut(step, snapshot);
  }

  private Attempts attempts(ClusterSnapshot snapshot) {
    boolean timeUp =
        waitTimer.waitedS() >= record.commands().restartLimitS()
            && (waitTimer.isFor(Step.AwaitController.class)
                || waitTimer.isFor(Step.AwaitNodes.class))
            && !isByHand();
    return new Attempts(
        controllerTried,
        Set.copyOf(slurmdsTried),
        Map.copyOf(failed),
        Set.copyOf(resumed),
        timeUp,
        again(snapshot));
  }

  /**
   * Slurm 23.02 gives no GPU to any step on a node whose slurmd registered with the larger count of
   * before, until slurmctld is restarted once more.
   */
  private Attempts.Again again(ClusterSnapshot snapshot) {
    if (againFrom.isPresent()) {
      return againFrom.get().equals(snapshot.starts().slurmctld())
          ? Attempts.Again.REQUESTED
          : Attempts.Again.NOT_NEEDED;
    }
    return restoresTopology.orElse(false) && isSmaller()
        ? Attempts.Again.DUE
        : Attempts.Again.NOT_NEEDED;
  }

  private boolean isSmaller() {
    return record.changing().stream()
        .anyMatch(n -> !n.done() && Gpus.of(n.after()).total() < Gpus.of(n.before()).total());
  }

  private boolean isByHand() {
    return switch (record.phase()) {
      case RESTARTING -> record.commands().restartSlurmctld() == null;
      case NODES ->
          waitTimer.isFor(Step.AwaitController.class)
              ? record.commands().restartSlurmctld() == null
              : record.commands().restartSlurmd() == null;
      default -> false;
    };
  }

  private Optional<RolloutResult> unreachable(LiveException e) {
    waitTimer.waitFor(LiveException.class);
    if (waitTimer.waitedS() >= record.commands().restartLimitS() && !isByHand()) {
      return Optional.of(new RolloutResult(RolloutResult.Kind.STOPPED, e.getMessage()));
    }
    return await("slurmctld does not answer");
  }

  private Optional<RolloutResult> carryOut(Step step, ClusterSnapshot snapshot) {
    if (step instanceof Step.Note note) {
      save(withNodes(note.nodes()));
      report.line(note.line());
    } else if (step instanceof Step.Drain drain) {
      return drain(drain.nodes());
    } else if (step instanceof Step.AwaitJobs jobs) {
      return awaitJobs(jobs.who());
    } else if (step instanceof Step.ChangeFiles) {
      files.make().forEach(report::line);
      save(record.withFiles(true, false));
    } else if (step instanceof Step.Distribute distribute) {
      return distribute(distribute.nodes());
    } else if (step instanceof Step.Enter enter) {
      enter(enter, snapshot);
    } else if (step instanceof Step.RestartController) {
      controllerTried = true;
      return restartController(snapshot);
    } else if (step instanceof Step.RestartAgain) {
      return restartAgain(snapshot);
    } else if (step instanceof Step.AwaitController) {
      return await(isByHand() ? "restart slurmctld now; waiting for it" : "slurmctld restarts");
    } else if (step instanceof Step.RestartSlurmds restart) {
      restartSlurmds(restart.nodes());
    } else if (step instanceof Step.AwaitNodes nodes) {
      return await(awaitNodesText(nodes));
    } else if (step instanceof Step.Resume resume) {
      controller.resume(resume.node());
      resumed.add(resume.node());
      report.line("resumed: " + resume.node());
    } else if (step instanceof Step.Close close) {
      close(close);
    } else if (step instanceof Step.Stop stop) {
      return Optional.of(RolloutResult.stopped(stop.problem(), stop.action()));
    } else if (step instanceof Step.Finish) {
      save(record.at(Phase.DONE));
      report.line(otherNodes(snapshot));
      List<String> left = Decision.left(record, snapshot);
      return Optional.of(
          left.isEmpty() ? RolloutResult.done() : RolloutResult.left(Hostlist.compress(left)));
    }
    return Optional.empty();
  }

  private UnaryOperator<RolloutRecord> withNodes(List<NodeRecord> nodes) {
    Map<String, NodeRecord> byName = new HashMap<>();
    nodes.forEach(node -> byName.put(node.name(), node));
    return old -> old.mapNodes(node -> byName.getOrDefault(node.name(), node));
  }

  private void save(UnaryOperator<RolloutRecord> change) {
    save(change.apply(record));
  }

  private void save(RolloutRecord next) {
    store.write(next);
    record = next;
  }

  private Optional<RolloutResult> drain(List<String> nodes) {
    if (waitTimer.waitedS() >= record.commands().restartLimitS()) {
      return Optional.of(
          RolloutResult.stopped(
              "node " + nodes.get(0) + " was drained, but somebody resumes it repeatedly",
              "find out who resumes it, then repeat with --continue"));
    }
    nodes.forEach(node -> controller.drain(node, record.reason()));
    report.line("drained: " + NodeList.of(nodes));
    return Optional.empty();
  }

  private Optional<RolloutResult> awaitJobs(RemainingJobs who) {
    jobsSinceNs = jobsSinceNs.or(() -> Optional.of(waitTimer.sinceNs()));
    long seconds = waitTimer.secondsSince(jobsSinceNs.get());
    Long limitS = record.commands().waitForJobsS();
    if (limitS != null && seconds >= limitS) {
      return Optional.of(
          new RolloutResult(
              RolloutResult.Kind.JOBS_REMAIN,
              "schedgpu gres: after %s there are still %s: repeat with --continue, or --abort"
                  .formatted(Report.minutes(limitS), who.text())));
    }
    return await("waiting for " + who.text());
  }

  private Optional<RolloutResult> await(String what) {
    waitTimer.pause(what);
    return Optional.empty();
  }

  private Optional<RolloutResult> distribute(List<String> nodes) {
    report.line("distributing the files to " + NodeList.of(nodes));
    Map<String, String> wrong =
        shell.runForEach(record.commands().distribute(), nodes, commandLimit());
    if (!wrong.isEmpty()) {
      return Optional.of(stopped("--distribute", wrong));
    }
    save(record.withFiles(true, true));
    return Optional.empty();
  }

  private static RolloutResult stopped(String option, Map<String, String> wrong) {
    Map.Entry<String, String> first = wrong.entrySet().iterator().next();
    String[] text = first.getValue().split("\n", 2);
    return RolloutResult.stopped(
        "%s for %s %s".formatted(option, NodeList.of(List.copyOf(wrong.keySet())), text[0]),
        "correct that and repeat with --continue" + (text.length > 1 ? "\n" + text[1] : ""));
  }

  private Duration commandLimit() {
    return Duration.ofSeconds(record.commands().commandLimitS());
  }

  private void enter(Step.Enter enter, ClusterSnapshot snapshot) {
    RolloutRecord next = record.at(enter.phase());
    if (enter.phase() == Phase.RESTARTING) {
      requireNoOtherChange(snapshot);
      next =
          next.withControllerStart(snapshot.starts().slurmctld())
              .mapNodes(node -> node.withSlurmdStart(snapshot.starts().slurmds().get(node.name())));
    }
    save(next);
    controllerTried &= enter.phase() != Phase.CLEARING;
    report.line(enter.line());
    if (enter.phase() == Phase.RESTARTING && record.commands().restartSlurmctld() == null) {
      report.line("restart slurmctld, such as: systemctl restart slurmctld");
    }
    if (enter.phase() == Phase.NODES && record.commands().restartSlurmd() == null) {
      report.line(
          "restart slurmd, such as systemctl restart slurmd, on: "
              + String.join(" ", record.nodes().stream().map(NodeRecord::name).toList()));
    }
  }

  /**
   * Restarts slurmctld in the same step as the snapshot that allowed it; nothing happens between
   * the two.
   */
  private Optional<RolloutResult> restartController(ClusterSnapshot snapshot) {
    requireNoOtherChange(snapshot);
    Optional<String> wrong = shell.run(record.commands().restartSlurmctld(), commandLimit());
    report.line(wrong.isEmpty() ? "restarted: slurmctld" : "");
    return wrong.map(why -> stopped("--restart-slurmctld", Map.of("slurmctld", why)));
  }

  private Optional<RolloutResult> restartAgain(ClusterSnapshot snapshot) {
    againFrom = Optional.of(snapshot.starts().slurmctld());
    report.line(
        "Slurm 23.02 needs one more restart of slurmctld after a smaller count, else each step"
            + " with a GPU fails");
    return record.commands().restartSlurmctld() == null
        ? Optional.empty()
        : restartController(snapshot);
  }

  /** Checks slurm.conf, which may have been edited while the rollout waited for jobs. */
  private void requireNoOtherChange(ClusterSnapshot snapshot) {
    Map<String, String> target = files.gresInPlace();
    Set<String> changing =
        record.changing().stream().map(NodeRecord::name).collect(Collectors.toSet());
    for (LiveNode live : snapshot.nodes().values()) {
      String then = target.get(live.name());
      Gpus now = Gpus.of(live.gres());
      if (then == null || (!changing.contains(live.name()) && !now.equals(Gpus.of(then)))) {
        throw new GresException(
            "node %s has %s, but slurm.conf now says %s, and it is not drained: slurmctld is not restarted"
                .formatted(
                    live.name(), now, then == null ? "nothing of it" : Gpus.of(then).toString()),
            "restore its line or repair the node, then repeat with --continue");
      }
    }
  }

  private void restartSlurmds(List<String> nodes) {
    report.line("restarting slurmd on " + NodeList.of(nodes));
    slurmdsTried.addAll(nodes);
    failed.putAll(shell.runForEach(record.commands().restartSlurmd(), nodes, commandLimit()));
    failed.forEach(
        (node, why) -> {
          if (nodes.contains(node)) {
            report.line("--restart-slurmd for " + node + " " + why);
          }
        });
  }

  private String awaitNodesText(Step.AwaitNodes nodes) {
    int count = nodes.nodes().size();
    return "waiting for %d %s: %s".formatted(count, count == 1 ? "node" : "nodes", nodes.first());
  }

  private void close(Step.Close close) {
    save(old -> old.mapNodes(n -> n.name().equals(close.node()) ? n.finished(close.note()) : n));
    if (close.note() != null) {
      report.line(close.node() + ": " + close.note());
    }
  }

  /**
   * Names nodes outside the rollout: their daemons read slurm.conf when they start, and slurmctld
   * logs that theirs differs.
   */
  private String otherNodes(ClusterSnapshot snapshot) {
    Set<String> ours = record.nodes().stream().map(NodeRecord::name).collect(Collectors.toSet());
    List<String> others =
        snapshot.nodes().keySet().stream().filter(name -> !ours.contains(name)).toList();
    return others.isEmpty()
        ? ""
        : "may still have the slurm.conf of before: %s: restart slurmd there, or scontrol reconfigure"
            .formatted(NodeList.of(others));
  }

  /**
   * Forgets restarts of an earlier run that left a wrong state: a slurmd that came back with other
   * counts must be restarted again.
   */
  private Optional<RolloutResult> retryFailures() {
    if (record.phase() != Phase.RESUMING && record.phase() != Phase.NODES) {
      return Optional.empty();
    }
    ClusterSnapshot snapshot = ClusterSnapshot.at(controller, starts);
    save(
        record
            .at(Phase.NODES)
            .mapNodes(
                node ->
                    !node.done()
                            && NodeProblem.isRestarted(node, snapshot)
                            && NodeProblem.of(node, snapshot, Attempts.nothing()).isPresent()
                        ? node.withSlurmdStart(snapshot.starts().slurmds().get(node.name()))
                        : node));
    return Optional.empty();
  }
}
