package org.schedgpu.agent.wait;

import org.schedgpu.agent.forecast.WhyText;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * How a job waits at one moment. Times are CLOCK_MONOTONIC.
 *
 * @param sumNs of the waits of all its processes, finished or not: several may wait side by side
 * @param longestNs of the present waits; 0: nothing waits
 * @param forOthers false if its own memory is the reason: what waits would not fit beside it on an
 *     otherwise empty device
 */
record JobWait(long sumNs, long longestNs, boolean forOthers) {
  /** The wait of a job of a snapshot. */
  static JobWait of(RegionSnapshot snapshot, Shares shares, Job job, long nowNs) {
    JobWait wait = of(shares, job, nowNs);
    boolean own =
        wait.longestNs() > 0
            && shares.waiters(job).stream()
                .filter(waiter -> !waiter.granted())
                .allMatch(waiter -> neverFits(snapshot, shares, job, waiter));
    return new JobWait(wait.sumNs(), wait.longestNs(), !own);
  }

  private static boolean neverFits(RegionSnapshot snapshot, Shares shares, Job job, Waiter waiter) {
    return snapshot.devices().stream()
        .filter(device -> waiter.devices().contains(device.index()))
        .anyMatch(
            device ->
                shares.of(job, device.index()).takenBytes()
                    > device.usableBytes() - WhyText.asksBytes(snapshot, waiter, device.index()));
  }

  /** The same without the reason. */
  static JobWait of(Shares shares, Job job, long nowNs) {
    long sum = job.waitedNs();
    long longest = 0;
    for (Waiter waiter : shares.waiters(job)) {
      if (!waiter.granted()) {
        long waited = Math.max(0, nowNs - waiter.sinceNs());
        sum += waited;
        longest = Math.max(longest, waited);
      }
    }
    return new JobWait(sum, longest, true);
  }
}
