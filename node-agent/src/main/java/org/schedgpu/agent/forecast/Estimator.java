package org.schedgpu.agent.forecast;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * Estimates when each waiting request is served, if running jobs end as expected.
 *
 * <p>It runs the queues ahead twice. Jobs with an expected end finish at that time in both runs.
 * Jobs without one end at once in the first run, and never, or at their time limit, in the second.
 * If both runs agree, the result is an estimate, otherwise two bounds.
 * docs/explanation/estimates.md says how far they hold.
 */
public final class Estimator {
  private final RegionSnapshot snapshot;
  private final Shares shares;
  private final Supplier<QueueFuture> futures;
  private final Map<Integer, ExpectedEnd> ends = new HashMap<>();
  private final Map<List<Integer>, List<Job>> unknown = new HashMap<>();
  private final Function<Job, String> name;
  private final long nowNs;

  private Estimator(
      RegionSnapshot snapshot,
      Shares shares,
      Supplier<QueueFuture> futures,
      ExpectedEnds ends,
      Function<Job, String> name,
      long nowNs) {
    this.snapshot = snapshot;
    this.shares = shares;
    this.futures = futures;
    this.name = name;
    this.nowNs = nowNs;
    snapshot
        .jobs()
        .forEach(job -> this.ends.put(job.record(), ends.of(job, ranNs(shares, job, nowNs))));
  }

  /**
   * Estimates of the waiters, by ticket.
   *
   * @param shares of the snapshot
   * @param futures gives a fresh copy of the queues at each call
   * @param name the shown name of a job; jobs of others may not be named
   * @param nowNs as {@link RegionSnapshot#nowNs()}
   */
  public static Map<Long, Estimate> of(
      RegionSnapshot snapshot,
      Shares shares,
      Supplier<QueueFuture> futures,
      ExpectedEnds ends,
      Function<Job, String> name,
      long nowNs) {
    return snapshot.waiters().stream().allMatch(Waiter::granted)
        ? Map.of()
        : new Estimator(snapshot, shares, futures, ends, name, nowNs).estimates();
  }

  private Map<Long, Estimate> estimates() {
    Map<Long, Long> early = play(job -> rest(job, 0), this::limit);
    boolean allKnown =
        ends.values().stream()
            .allMatch(end -> end.likelyNs().isPresent()); // both runs give the same result
    Map<Long, Long> late =
        allKnown ? early : play(job -> rest(job, QueueReplay.never()), this::limit);
    Map<Long, Estimate> estimates = new HashMap<>();
    snapshot.waiters().stream()
        .filter(waiter -> !waiter.granted())
        .forEach(waiter -> estimates.put(waiter.ticket(), estimate(waiter, early, late)));
    return estimates;
  }

  private Map<Long, Long> play(ToLongFunction<Job> restNs, ToLongFunction<Job> latestNs) {
    try (QueueFuture future = futures.get()) {
      return new QueueReplay(snapshot, future, restNs, latestNs, nowNs).run();
    }
  }

  private long rest(Job job, long otherwise) {
    return ends.get(job.record()).likelyNs().orElse(otherwise);
  }

  private long limit(Job job) {
    ExpectedEnd end = ends.get(job.record());
    return end.likelyNs().isPresent()
        ? QueueReplay.never()
        : end.latestNs().orElse(QueueReplay.never());
  }

  private Estimate estimate(Waiter waiter, Map<Long, Long> early, Map<Long, Long> late) {
    OptionalLong one = QueueReplay.time(early, waiter.ticket());
    OptionalLong other = QueueReplay.time(late, waiter.ticket());
    boolean both = one.isPresent() && other.isPresent();
    // A policy that overtakes may serve a request earlier although other jobs end later.
    OptionalLong earliest =
        both ? OptionalLong.of(Math.min(one.getAsLong(), other.getAsLong())) : one;
    OptionalLong latest =
        both ? OptionalLong.of(Math.max(one.getAsLong(), other.getAsLong())) : other;
    OptionalLong givesUp =
        latest.isPresent() || waiter.deadlineNs().isEmpty()
            ? OptionalLong.empty()
            : OptionalLong.of(Math.max(0, waiter.deadlineNs().get() - nowNs));
    return new Estimate(
        earliest, latest, latest.isPresent() ? Optional.empty() : unknown(waiter), givesUp);
  }

  private boolean isUnknown(Job job) {
    return ends.get(job.record()).isUnknown();
  }

  /** The largest holder of memory there among the jobs without an expected end. */
  private Optional<String> unknown(Waiter waiter) {
    return unknown.computeIfAbsent(waiter.devices(), this::unknownHolders).stream()
        .filter(job -> job.record() != waiter.job())
        .findFirst()
        .map(job -> name.apply(job) + " " + ends.get(job.record()).unknown());
  }

  /** Largest first. The result is the same for every waiter of these devices; there may be many. */
  private List<Job> unknownHolders(List<Integer> devices) {
    Map<Integer, Long> taken = new HashMap<>();
    snapshot.jobs().stream()
        .filter(this::isUnknown)
        .forEach(
            job ->
                taken.put(
                    job.record(),
                    devices.stream().mapToLong(d -> shares.of(job, d).takenBytes()).sum()));
    return snapshot.jobs().stream()
        .filter(job -> taken.getOrDefault(job.record(), 0L) > 0)
        .sorted(Comparator.comparingLong((Job job) -> taken.get(job.record())).reversed())
        .toList();
  }

  /** How long a job has run, waits excluded. */
  static long ranNs(Shares shares, Job job, long nowNs) {
    long waitingSince =
        shares.waiters(job).stream()
            .filter(waiter -> !waiter.granted())
            .mapToLong(Waiter::sinceNs)
            .min()
            .orElse(nowNs);
    return Math.max(0, Math.min(waitingSince, nowNs) - job.begunNs() - job.waitedNs());
  }
}
