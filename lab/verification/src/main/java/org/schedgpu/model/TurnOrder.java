package org.schedgpu.model;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Decides who has the turn of a lane next. */
final class TurnOrder {
  /** A turn with the device lasts this part of the quantum. */
  private static final long SHARE_PART = 10;

  private final Node node;
  private final Lane lane;
  private final long nowNs;

  TurnOrder(Node node, Lane lane, long nowNs) {
    this.node = node;
    this.lane = lane;
    this.nowNs = nowNs;
  }

  /** Those who wait for the turn, the oldest first. */
  List<TurnWait> waiting() {
    return node.turnWaits.stream().filter(wait -> wait.waitsIn(lane)).toList();
  }

  Optional<TurnWait> first() {
    return waiting().stream().min(order());
  }

  /** Among equals the one that asked first. */
  private Comparator<TurnWait> order() {
    return Comparator.<TurnWait>comparingInt(wait -> -wait.job.spec.priority())
        .thenComparing(this::compareOverdue)
        .thenComparingLong(wait -> wait.ticket);
  }

  /** Those at the bound first, by age; the others by policy. */
  private int compareOverdue(TurnWait a, TurnWait b) {
    if (isAtTheBound(a) || isAtTheBound(b)) {
      return Boolean.compare(isAtTheBound(b), isAtTheBound(a));
    }
    return byPolicy().compare(a.job, b.job);
  }

  private Comparator<Job> byPolicy() {
    return switch (lane.policy) {
      case PACK -> Comparator.comparingInt(unused -> 0);
      case FIFO -> Comparator.comparingLong(job -> job.joined);
      case SRTF -> Comparator.comparingLong(this::remainingNs);
      case FAIR, SHARE -> Comparator.comparingLong(job -> job.servicePerShare(nowNs));
    };
  }

  /** Jobs of unknown length come last. */
  private long remainingNs(Job job) {
    long lengthNs = job.laneSpec().lengthNs();
    return lengthNs == 0 ? Long.MAX_VALUE : Math.max(0, lengthNs - job.serviceNs(nowNs));
  }

  private boolean isAtTheBound(TurnWait wait) {
    return node.overtakeLimit > 0 && wait.overtaken >= node.overtakeLimit;
  }

  /** True if the waiter comes before the job of the process that has the turn. */
  boolean comesBeforeHolder(TurnWait wait) {
    Job holder = lane.holder.flatMap(client -> client.job).orElseThrow();
    int higher = Integer.compare(wait.job.spec.priority(), holder.spec.priority());
    if (higher != 0 || isAtTheBound(wait)) {
      return higher >= 0;
    }
    int service = byPolicy().compare(wait.job, holder);
    return switch (lane.policy) {
      case FAIR -> lane.hadNs(nowNs) >= node.quantumNs && service <= 0;
      case SHARE -> lane.hadNs(nowNs) >= node.quantumNs / SHARE_PART && service <= 0;
      case PACK, FIFO, SRTF -> service < 0;
    };
  }
}
