package org.schedgpu.papers.phases;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The kernels that run: they share the device's time equally (processor sharing). Thread-safety:
 * one thread.
 */
public final class Kernels {
  private record Running(int job, double endVirtualNs) {}

  private final List<Running> running = new ArrayList<>();
  private double virtualNs;
  private long nowNs;
  private long busyNs;

  /** How many run. */
  public int count() {
    return running.size();
  }

  /** How long at least one kernel has run. */
  public long busyNs() {
    return busyNs;
  }

  /** When the next kernel ends if none begins before; Long.MAX_VALUE if none runs. */
  public long nextEndNs() {
    double first = Double.POSITIVE_INFINITY;
    for (Running kernel : running) {
      first = Math.min(first, kernel.endVirtualNs());
    }
    return running.isEmpty()
        ? Long.MAX_VALUE
        : nowNs + (long) Math.ceil(Math.max(0, first - virtualNs) * running.size());
  }

  /** Time has passed, at most until {@link #nextEndNs}. */
  public void advance(long toNs) {
    if (!running.isEmpty()) {
      busyNs += toNs - nowNs;
      virtualNs += (double) (toNs - nowNs) / running.size();
    }
    nowNs = toNs;
  }

  /**
   * A kernel begins now.
   *
   * @param job whose it is; a job has one kernel at a time
   * @param ns how long it takes alone, above 0
   */
  public void begin(int job, long ns) {
    running.add(new Running(job, virtualNs + ns));
  }

  /** Jobs whose kernels have ended, in the order of the jobs; they no longer run. */
  public List<Integer> takeEnded() {
    List<Integer> ended = new ArrayList<>();
    for (Running kernel : running) {
      if (kernel.endVirtualNs() <= virtualNs) {
        ended.add(kernel.job());
      }
    }
    if (!ended.isEmpty()) {
      running.removeIf(kernel -> kernel.endVirtualNs() <= virtualNs);
      ended.sort(Comparator.naturalOrder());
    }
    return ended;
  }
}
