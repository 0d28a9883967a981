package org.schedgpu.model;

import java.util.Comparator;
import java.util.List;

/** Compares everything that can be seen of lanes and turns in model and core. */
final class LaneComparison {
  private final Model model;
  private final ClientPair[] processes;
  private final LaneCoverage coverage;

  LaneComparison(Model model, ClientPair[] processes, LaneCoverage coverage) {
    this.model = model;
    this.processes = processes;
    this.coverage = coverage;
  }

  /** After a transition. */
  void compare(CoreLanes core) {
    LaneView view = model.lanes();
    coverage.saw(view);
    same("lanes", lanes(view), core.lanes());
    same("jobs in lanes", members(view), sorted(core.members()));
    same("waits for a turn", waits(view), oldestFirst(core.waits()));
  }

  private static void same(String what, List<?> inModel, List<?> inCore) {
    if (!inModel.equals(inCore)) {
      throw new Difference(what + ": " + inModel + " in the model, in C " + inCore);
    }
  }

  private List<CoreLanes.LaneState> lanes(LaneView view) {
    return view.lanes().stream()
        .map(
            lane ->
                new CoreLanes.LaneState(
                    lane.index,
                    lane.device,
                    lane.policy.code(),
                    view.bytes(lane),
                    view.members(lane).size(),
                    lane.holder.map(this::slot).orElse(CoreLanes.NOBODY),
                    lane.busy))
        .toList();
  }

  private static List<CoreLanes.Member> members(LaneView view) {
    return sorted(
        view.members().stream()
            .map(
                job ->
                    new CoreLanes.Member(
                        job.id(), job.lane.orElseThrow().index, job.keptBytes(), job.serviceNs))
            .toList());
  }

  private static List<CoreLanes.Member> sorted(List<CoreLanes.Member> members) {
    return members.stream().sorted(Comparator.comparing(CoreLanes.Member::job)).toList();
  }

  /** In the order of asking. */
  private List<CoreLanes.Wait> waits(LaneView view) {
    return view.waits().stream()
        .map(
            wait ->
                new CoreLanes.Wait(
                    slot(wait.client),
                    wait.job.lane.orElseThrow().index,
                    wait.ticket,
                    wait.overtaken,
                    wait.given))
        .toList();
  }

  private static List<CoreLanes.Wait> oldestFirst(List<CoreLanes.Wait> waits) {
    return waits.stream().sorted(Comparator.comparing(CoreLanes.Wait::ticket)).toList();
  }

  private long slot(Client client) {
    for (ClientPair process : processes) {
      if (process != null && process.client == client) {
        return process.slot;
      }
    }
    throw new Difference("the model has a turn of a process that is gone");
  }
}
