package org.schedgpu.agent.forecast;

import org.schedgpu.jna.RegionSnapshot.Job;

/** When jobs are expected to end. */
@FunctionalInterface
public interface ExpectedEnds {
  /**
   * The expected end of a running job.
   *
   * @param ranNs how long it has run, waits excluded
   */
  ExpectedEnd of(Job job, long ranNs);
}
