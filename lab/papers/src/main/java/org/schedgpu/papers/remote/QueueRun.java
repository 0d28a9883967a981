package org.schedgpu.papers.remote;

import java.util.Comparator;
import java.util.List;

/** A job that the queue has started. */
final class QueueRun {
  static final Comparator<QueueRun> BY_INDEX = Comparator.comparingInt(run -> run.index);
  static final Comparator<QueueRun> BY_END =
      Comparator.<QueueRun>comparingLong(run -> run.endNs).thenComparing(BY_INDEX);

  private static final double NS = 1e9;

  final int index;
  final QueueJob job;
  final List<Place> places;
  long endNs;
  private double left = 1;
  private double lengthNs;
  private long updatedNs;

  QueueRun(int index, QueueJob job, List<Place> places, long nowNs) {
    this.index = index;
    this.job = job;
    this.places = places;
    this.updatedNs = nowNs;
    this.lengthNs = -1;
  }

  boolean isRemote() {
    return places.stream().anyMatch(Place::isRemote);
  }

  /**
   * From now on the whole job would take so long (the paper's time steps: conditions are fixed
   * between two events). Whether its end changes.
   */
  boolean takes(double seconds, long nowNs) {
    if (seconds * NS == lengthNs) {
      return false;
    }
    if (lengthNs > 0) {
      left = Math.max(0, left - (nowNs - updatedNs) / lengthNs);
    }
    updatedNs = nowNs;
    lengthNs = seconds * NS;
    return true;
  }

  /** When it ends as things are. */
  long expectedEndNs() {
    return updatedNs + (long) Math.ceil(left * lengthNs);
  }
}
