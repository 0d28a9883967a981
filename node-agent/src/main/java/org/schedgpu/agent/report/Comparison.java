package org.schedgpu.agent.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.schedgpu.agent.history.JobRecord;

/**
 * What sharing gained or lost against one job per device.
 *
 * @param devices how many
 * @param breakEvenPercent how fast jobs would have to run alone (100: as fast as shared) for their
 *     mean time from arrival to end to be equal; null: it is not longer at 100, or it is longer at
 *     any speed
 * @param before jobs left out because they began before the window
 * @param gaveUp jobs left out because how long they would have run is unknown
 * @param outOfTime jobs left out because the clock was set back
 * @param noMemoryYet jobs left out because they run and have not had memory so far
 */
public record Comparison(
    int devices,
    Outcome shared,
    Outcome exclusive,
    Long breakEvenPercent,
    int before,
    int gaveUp,
    int outOfTime,
    int noMemoryYet) {
  private static final double FASTEST = 64;
  private static final int HALVINGS = 24;

  static Comparison of(List<JobRecord> jobs, Window window, int devices) {
    int before = 0;
    int gaveUp = 0;
    int outOfTime = 0;
    int noMemoryYet = 0;
    List<ReplayedJob> tasks = new ArrayList<>();
    for (JobRecord job : jobs) {
      if (Jobs.outOfTime(job, window)) {
        outOfTime++;
      } else if (job.begunNs() < window.fromNs()) {
        before++;
      } else if (Jobs.gaveUp(job)) {
        gaveUp++;
      } else if (Jobs.runs(job) && job.heldNs() == 0) {
        noMemoryYet++;
      } else if (!job.devices().isEmpty()) {
        tasks.add(task(job, window));
      }
    }
    Outcome shared = SharedOutcome.of(tasks);
    return new Comparison(
        devices,
        shared,
        ExclusiveReplay.of(tasks, devices, 1),
        breakEvenPercent(tasks, devices, shared.meanTurnaroundNs()),
        before,
        gaveUp,
        outOfTime,
        noMemoryYet);
  }

  /** It does not know what happened after the window. */
  private static ReplayedJob task(JobRecord job, Window window) {
    long end = window.clip(Jobs.endNs(job, window));
    long waited = Math.min(job.waitedNs(), end - job.begunNs());
    return new ReplayedJob(
        job.begunNs(),
        end,
        waited,
        end - job.begunNs() - waited,
        Set.copyOf(job.devices().keySet()));
  }

  private static Long breakEvenPercent(List<ReplayedJob> tasks, int devices, long sharedNs) {
    if (tasks.isEmpty() || turnaroundNs(tasks, devices, 1) <= sharedNs) {
      return null;
    }
    double slow = 1;
    double fast = FASTEST;
    if (turnaroundNs(tasks, devices, fast) > sharedNs) {
      return null;
    }
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (slow + fast) / 2;
      if (turnaroundNs(tasks, devices, middle) > sharedNs) {
        slow = middle;
      } else {
        fast = middle;
      }
    }
    return (long) Math.ceil(100 * fast - 1e-3);
  }

  private static long turnaroundNs(List<ReplayedJob> tasks, int devices, double speedUp) {
    return ExclusiveReplay.of(tasks, devices, speedUp).meanTurnaroundNs();
  }
}
