package org.schedgpu.papers.lane;

import java.util.Comparator;

/** Whose turn it is in a lane. Priorities come before all of them. Source: Salus, section 4. */
public enum LanePolicy {
  /** The job that joined the lane first runs to its end. */
  FIFO,

  /** Shortest remaining time first; a job of unknown length comes last. */
  SRTF,

  /** Jobs are spread over lanes; inside a lane nobody takes the turn from a job that computes. */
  PACK,

  /** The least service by share; the turn changes at the end of an iteration, after a quantum. */
  FAIR;

  /** The order among those that wait for a turn; for equals the oldest ask decides. */
  Comparator<Member> order() {
    return switch (this) {
      case FIFO -> Comparator.comparingLong(member -> member.joined);
      case SRTF -> Comparator.comparingLong(Member::remainingNs);
      case PACK -> Comparator.comparingLong(member -> member.asked);
      case FAIR -> Comparator.comparingDouble(Member::serviceByShareNs);
    };
  }

  /**
   * Whether a waiter of the same priority takes the turn at the end of an iteration.
   *
   * @param heldNs for how long the holder has had the turn
   */
  boolean precedes(Member waiter, Member holder, long heldNs, long quantumNs) {
    return switch (this) {
      case FIFO -> waiter.joined < holder.joined;
      case SRTF -> waiter.remainingNs() < holder.remainingNs();
      case PACK -> false;
      case FAIR -> heldNs >= quantumNs && waiter.serviceByShareNs() <= holder.serviceByShareNs();
    };
  }
}
