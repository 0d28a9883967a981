package org.schedgpu.papers.lane;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The turn of one lane: it belongs to one member or to nobody, and is busy during an iteration. The
 * rules only: times are told.
 */
final class Turn {
  private final LanePolicy policy;
  private final long quantumNs;
  private final long idleNs;
  private final int overtakeLimit;
  private final List<Member> waiting = new ArrayList<>();
  private Member holder;
  private boolean busy;
  private long sinceNs;
  private long idleSinceNs;
  private long asks;
  private long accountedNs;

  /**
   * @param idleNs a turn that was idle for so long goes to the first waiter; and how often a waiter
   *     looks
   * @param overtakeLimit who was overtaken so often comes first; 0 for no limit
   */
  Turn(LanePolicy policy, long quantumNs, long idleNs, int overtakeLimit) {
    this.policy = policy;
    this.quantumNs = quantumNs;
    this.idleNs = idleNs;
    this.overtakeLimit = overtakeLimit;
  }

  Member holder() {
    return holder;
  }

  /**
   * A member asks for the turn, to begin an iteration.
   *
   * @return who begins now: it, or, if the turn can be given, a waiter that comes before it; null
   *     if it cannot
   */
  Member begin(Member member, long nowNs) {
    if (holder == member && !busy) {
      busy = true;
      return member;
    }
    member.asked = asks++;
    member.askedNs = nowNs;
    waiting.add(member);
    return look(nowNs);
  }

  /**
   * The iteration of the holder has ended.
   *
   * @return who begins now: the first waiter if it comes before the holder; else null, and the turn
   *     is idle
   */
  Member end(long nowNs) {
    busy = false;
    idleSinceNs = nowNs;
    account(nowNs);
    return look(nowNs);
  }

  /**
   * A waiter looks again: the turn of nobody goes to the first waiter, an idle one if that comes
   * before the holder or it was idle for long enough. Who begins now, or null.
   */
  Member look(long nowNs) {
    Member first = busy ? null : first();
    boolean given =
        first != null
            && (holder == null || nowNs - idleSinceNs >= idleNs || precedesHolder(first, nowNs));
    return given ? give(first, nowNs) : null;
  }

  /** A member that does not wait leaves the lane; its turn goes on. Who begins now, or null. */
  Member leave(Member member, long nowNs) {
    if (holder != member) {
      return null;
    }
    account(nowNs);
    holder = null;
    busy = false;
    return look(nowNs);
  }

  /** When a waiter looks again, if the turn is idle until then; Long.MAX_VALUE if none waits. */
  long nextLookNs(long nowNs) {
    long next = Long.MAX_VALUE;
    for (Member member : waiting) {
      long looks = (nowNs - member.askedNs) / idleNs + 1;
      next = Math.min(next, member.askedNs + looks * idleNs);
    }
    return busy ? Long.MAX_VALUE : next;
  }

  /** Adds to the holder's service what it has had of its turn until now. */
  void account(long nowNs) {
    if (holder != null) {
      holder.serviceNs += nowNs - accountedNs;
    }
    accountedNs = nowNs;
  }

  private Member give(Member member, long nowNs) {
    account(nowNs);
    Member oldest = waiting.get(0);
    if (oldest != member) {
      oldest.overtaken++;
    }
    waiting.remove(member);
    member.overtaken = 0;
    holder = member;
    busy = true;
    sinceNs = nowNs;
    return member;
  }

  private boolean overdue(Member member) {
    return overtakeLimit > 0 && member.overtaken >= overtakeLimit;
  }

  private Member first() {
    return waiting.stream()
        .min(
            Comparator.<Member>comparingInt(member -> -member.job.priority())
                .thenComparing(member -> !overdue(member))
                .thenComparing(
                    (a, b) -> overdue(a) && overdue(b) ? 0 : policy.order().compare(a, b))
                .thenComparingLong(member -> member.asked))
        .orElse(null);
  }

  private boolean precedesHolder(Member waiter, long nowNs) {
    if (waiter.job.priority() != holder.job.priority()) {
      return waiter.job.priority() > holder.job.priority() || overdue(waiter);
    }
    return overdue(waiter) || policy.precedes(waiter, holder, nowNs - sinceNs, quantumNs);
  }
}
