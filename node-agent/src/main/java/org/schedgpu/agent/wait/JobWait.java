package org.schedgpu.agent.wait;

import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * How a job waits at one moment. Times are CLOCK_MONOTONIC.
 *
 * @param sumNs of the waits of all its processes, finished or not: several may wait side by side
 * @param longestNs of the present waits; 0: nothing waits
 */
record JobWait(long sumNs, long longestNs) {
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
    return new JobWait(sum, longest);
  }
}
