package org.schedgpu.agent.forecast;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * Why requests wait and when they are served, for the requests that a user may see. Jobs of others
 * are not named.
 */
public final class WaitForecasts {
  private static final String OTHERS_JOB = "another user's job";

  private final Map<Long, String> reasons;
  private final Map<Long, Estimate> estimates;

  private WaitForecasts(Map<Long, String> reasons, Map<Long, Estimate> estimates) {
    this.reasons = reasons;
    this.estimates = estimates;
  }

  /**
   * The forecasts for a snapshot. If no waiter is visible to the user, it asks for nothing.
   *
   * @param shares of the snapshot
   * @param futures gives a fresh copy of the queues at each call
   * @param maySee true if the jobs of a user may be shown one by one
   * @param nowNs as {@link RegionSnapshot#nowNs()}
   */
  public static WaitForecasts of(
      RegionSnapshot snapshot,
      Shares shares,
      Supplier<QueueFuture> futures,
      ExpectedEnds ends,
      IntPredicate maySee,
      long nowNs) {
    List<Waiter> shown =
        snapshot.waiters().stream()
            .filter(waiter -> !waiter.granted())
            .filter(w -> snapshot.job(w.job()).filter(j -> maySee.test(j.uid())).isPresent())
            .toList();
    if (shown.isEmpty()) {
      return new WaitForecasts(Map.of(), Map.of());
    }
    Names names = new Names(maySee);
    WhyText why = new WhyText(snapshot, shares, names::of);
    Map<Long, String> reasons = new HashMap<>();
    try (QueueFuture now = futures.get()) {
      shown.forEach(w -> reasons.put(w.ticket(), why.of(w, now.reason(w.ticket()))));
    }
    return new WaitForecasts(
        reasons,
        Estimator.of(snapshot, shares, futures, unlessStopped(shares, ends), names::of, nowNs));
  }

  /** A stopped job does not come nearer to its end. */
  private static ExpectedEnds unlessStopped(Shares shares, ExpectedEnds ends) {
    return (job, ranNs) ->
        shares.isStopped(job) ? ExpectedEnd.unknown("is stopped") : ends.of(job, ranNs);
  }

  private record Names(IntPredicate maySee) {
    String of(Job job) {
      return maySee.test(job.uid()) ? job.reference() : OTHERS_JOB;
    }
  }

  /** The reason in words; for a granted request, that it is about to be taken. */
  public String why(Waiter waiter) {
    return waiter.granted() ? "granted: takes it now" : reasons.getOrDefault(waiter.ticket(), "");
  }

  /** {@link Estimate#NONE} for a granted request. */
  public Estimate estimate(Waiter waiter) {
    return estimates.getOrDefault(waiter.ticket(), Estimate.NONE);
  }
}
