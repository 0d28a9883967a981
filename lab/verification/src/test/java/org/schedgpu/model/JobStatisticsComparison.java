package org.schedgpu.model;

import static org.schedgpu.model.Comparison.same;

import java.util.List;

/** Compares the statistics of jobs in model and core, including those of ended jobs. */
final class JobStatisticsComparison {
  private final Model model;
  private int endedBefore;

  JobStatisticsComparison(Model model) {
    this.model = model;
  }

  /** After a transition. */
  void compare(CoreState core, long nowNs) {
    for (int i = 0; i < core.jobs(); i++) {
      compareJob(core, i, nowNs);
    }
    same("number of ended jobs", model.ended().size(), core.ended());
    List<EndedJob> now = model.ended().subList(endedBefore, model.ended().size());
    for (int i = 0; i < Math.min(now.size(), core.endedShown()); i++) {
      compareEnded(core, i, now);
    }
    endedBefore = model.ended().size();
  }

  private void compareJob(CoreState core, int i, long nowNs) {
    long id = core.jobId(i);
    JobStatistics statistics = model.statistics(id);
    same("waits of job", id, statistics.waits(), core.waits(i));
    same("waited time of job", id, statistics.waitedNs(), core.waitedNs(i));
    same("held time of job", id, statistics.heldNs(nowNs), core.heldNs(i, nowNs));
    same("refused allocations of job", id, statistics.refusals(), core.refusals(i));
    same("largest refused allocation of job", id, statistics.refusedBytes(), core.refusedBytes(i));
    for (int d = 0; d < core.devices(); d++) {
      same("peak on device " + d + " of job", id, statistics.peakBytes(d), core.peak(i, d));
      same(
          "contexts on " + d + " of job",
          id,
          statistics.contextPeakBytes(d),
          core.contextPeak(i, d));
    }
  }

  /** If several jobs ended at once, the model need not have the order of the core. */
  private static void compareEnded(CoreState core, int i, List<EndedJob> now) {
    long id = core.endedId(i);
    EndedJob ended =
        now.stream()
            .filter(e -> e.id() == id)
            .findFirst()
            .orElseThrow(() -> new Difference("only C has ended job " + id));
    JobStatistics statistics = ended.statistics();
    same("end of job", id, ended.endedNs(), core.endedNs(i));
    same("waits of ended job", id, statistics.waits(), core.endedWaits(i));
    same("waited time of ended job", id, statistics.waitedNs(), core.endedWaitedNs(i));
    same("held time of ended job", id, statistics.heldNs(ended.endedNs()), core.endedHeldNs(i));
    same("refused allocations of ended job", id, statistics.refusals(), core.endedRefusals(i));
    same("largest refused of ended job", id, statistics.refusedBytes(), core.endedRefusedBytes(i));
    for (int d = 0; d < core.devices(); d++) {
      same(
          "peak on device " + d + " of ended job",
          id,
          statistics.peakBytes(d),
          core.endedPeak(i, d));
      same(
          "contexts on device " + d + " of ended job",
          id,
          statistics.contextPeakBytes(d),
          core.endedContextPeak(i, d));
    }
  }
}
