package org.schedgpu.papers.phases;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The places for jobs on a node: who starts when. */
final class Places {
  /**
   * A job starts.
   *
   * @param job its index
   * @param atNs when
   */
  record Start(int job, long atNs) {}

  private final List<PhasedJob> jobs;
  private final Starts starts;
  private final long[] freeFromNs;
  private int next;
  private int taken;
  private int ended;

  Places(List<PhasedJob> jobs, Starts starts) {
    this.jobs = jobs;
    this.starts = starts;
    this.freeFromNs = new long[starts.atOnce()];
    Arrays.fill(freeFromNs, Long.MIN_VALUE);
  }

  /** The jobs that start in the places that are free. */
  List<Start> take() {
    List<Start> started = new ArrayList<>();
    while (next < jobs.size() && taken < starts.atOnce()) {
      long submittedNs = jobs.get(next).submitNs() + starts.delayNs();
      started.add(new Start(next, Math.max(submittedNs, freeFromNs[taken])));
      taken++;
      next++;
    }
    return started;
  }

  void ended(long nowNs) {
    ended++;
    if (starts.inBatches() && ended == next) {
      Arrays.fill(freeFromNs, nowNs + starts.pauseNs());
      taken = 0;
    } else if (!starts.inBatches()) {
      taken--;
      freeFromNs[taken] = nowNs + starts.pauseNs();
    }
  }
}
