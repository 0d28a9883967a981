package org.schedgpu.papers.lane;

/** A job that is in the simulation. Before it has a lane, {@link #lane} is null. */
final class Member {
  final int index;
  final LaneJob job;
  Lane lane;

  /** The order in which members joined lanes, over all lanes. */
  long joined;

  /** The order of its ask for the turn, and when that was. */
  long asked;

  long askedNs;

  /** Turns that were given to younger waiters while it was the oldest. */
  int overtaken;

  /** The time for which it has had the turn; under FAIR with what it joined with. */
  long serviceNs;

  /** The part of {@link #serviceNs} that it joined with. */
  long joinedWithNs;

  /** Iterations that it has begun. */
  int begun;

  Member(int index, LaneJob job) {
    this.index = index;
    this.job = job;
  }

  long remainingNs() {
    return job.work().lengthKnown()
        ? job.work().lengthNs() - (serviceNs - joinedWithNs)
        : Long.MAX_VALUE;
  }

  double serviceByShareNs() {
    return (double) serviceNs / job.share();
  }
}
