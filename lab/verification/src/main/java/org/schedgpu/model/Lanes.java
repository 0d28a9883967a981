package org.schedgpu.model;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Assigns jobs to lanes (Salus, Algorithm 1). */
final class Lanes {
  private static final int MAX_LANES = 128;

  private final Node node;

  Lanes(Node node) {
    this.node = node;
  }

  /** The members of a lane. */
  List<Job> members(Lane lane) {
    return node.jobs.stream().filter(job -> job.lane.filter(l -> l == lane).isPresent()).toList();
  }

  /** True if the job could open a lane: its user has fewer than are left. Root has no limit. */
  boolean mayOpen(Job job) {
    return mayOpen(job, Optional.empty());
  }

  private boolean mayOpen(Job job, Optional<Lane> left) {
    int uid = job.spec.uid();
    int free = MAX_LANES - node.lanes.size();
    long own =
        node.lanes.values().stream()
            .filter(
                lane ->
                    left.filter(l -> l == lane).isPresent()
                        || members(lane).stream().anyMatch(m -> m.spec.uid() == uid))
            .count();
    return uid == 0 ? free > 0 : own < free;
  }

  /** The lanes that the job may join. */
  List<Lane> ofKind(Job job) {
    return node.lanes.values().stream()
        .filter(lane -> job.has(lane.device) && lane.policy == job.laneSpec().policy())
        .filter(lane -> members(lane).stream().allMatch(m -> m.sharers().equals(job.sharers())))
        .toList();
  }

  /** A job of two parts may begin to share, before it holds or waits. */
  boolean mayShare(Job job) {
    return job.isLaneJob()
        && job.keptBytes() > 0
        && job.ephemeralBytes() > 0
        && !job.holds
        && node.waiters.stream().noneMatch(waiter -> waiter.job == job && waiter.waits());
  }

  /** A job that is to hold now, and fits, joins a lane. */
  void join(Job job, long nowNs) {
    enter(job, choose(job), nowNs);
  }

  private void enter(Job job, Lane lane, long nowNs) {
    if (lane.policy == LanePolicy.FAIR) {
      leastServicePerShare(lane, nowNs)
          .ifPresent(
              least -> job.serviceNs = Math.max(job.serviceNs, least * job.laneSpec().share()));
    }
    job.lane = Optional.of(lane);
    job.joined = ++node.laneTicket;
  }

  private Optional<Long> leastServicePerShare(Lane lane, long nowNs) {
    return members(lane).stream().map(job -> job.servicePerShare(nowNs)).min(Long::compare);
  }

  /**
   * The turn of its lane is stuck: the job, whose processes wait for it, goes into another lane, by
   * the same algorithm. Empty if it stays: no lane is free for it, or it is bound to this one.
   */
  Optional<Lane> move(Job job, long nowNs) {
    Optional<Lane> from = job.lane;
    if (job.sharesLane
        || job.laneSpec().policy() == LanePolicy.SHARE
        || from.filter(lane -> lane.isHeldByProcessOf(job)).isPresent()) {
      return Optional.empty();
    }
    job.lane = Optional.empty();
    Optional<Lane> to = beside(job, from.orElseThrow(), nowNs);
    to.ifPresentOrElse(lane -> enter(job, lane, nowNs), () -> job.lane = from);
    return to;
  }

  private Optional<Lane> beside(Job job, Lane left, long nowNs) {
    Sums sums = Sums.of(node);
    int device = job.laneDevice();
    long available = node.isNeeded(device) ? 0 : sums.free(device);
    if (job.ephemeralBytes() <= available && mayOpen(job, Optional.of(left))) {
      return Optional.of(open(job));
    }
    Predicate<Lane> other = lane -> lane != left && !lane.isStuck(nowNs);
    return smallest(job, other.and(lane -> sums.laneBytes(lane) >= job.ephemeralBytes()))
        .or(
            () ->
                smallest(
                    job,
                    other.and(lane -> job.ephemeralBytes() - sums.laneBytes(lane) <= available)));
  }

  /** Step by step as in the algorithm: a new lane, the best match, the smallest that can grow. */
  private Lane choose(Job job) {
    Sums sums = Sums.of(node);
    long free = sums.free(job.laneDevice());
    boolean together = job.laneSpec().policy() == LanePolicy.SHARE && !ofKind(job).isEmpty();
    if (job.keptBytes() + job.ephemeralBytes() <= free && mayOpen(job) && !together) {
      return open(job);
    }
    return smallest(job, lane -> sums.laneBytes(lane) >= job.ephemeralBytes())
        .or(() -> smallest(job, lane -> growth(sums, job, lane) <= free))
        .orElseThrow();
  }

  private static long growth(Sums sums, Job job, Lane lane) {
    return job.keptBytes() + job.ephemeralBytes() - sums.laneBytes(lane);
  }

  private Optional<Lane> smallest(Job job, Predicate<Lane> which) {
    Sums sums = Sums.of(node);
    return ofKind(job).stream().filter(which).min(Comparator.comparingLong(sums::laneBytes));
  }

  private Lane open(Job job) {
    int index =
        IntStream.range(0, MAX_LANES)
            .filter(i -> !node.lanes.containsKey(i))
            .findFirst()
            .orElseThrow();
    Lane lane = new Lane(index, job.laneDevice(), job.laneSpec().policy());
    node.lanes.put(index, lane);
    return lane;
  }

  /** The job does not hold any more. A lane ends with its last member. */
  void leave(Job job, long nowNs) {
    Optional<Lane> left = job.lane;
    left.filter(lane -> lane.isHeldByProcessOf(job)).ifPresent(lane -> lane.free(nowNs));
    job.lane = Optional.empty();
    left.filter(lane -> members(lane).isEmpty()).ifPresent(lane -> node.lanes.remove(lane.index));
  }
}
