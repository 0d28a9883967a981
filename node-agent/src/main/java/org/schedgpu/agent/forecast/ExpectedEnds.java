package org.schedgpu.agent.forecast;

import org.schedgpu.jna.RegionSnapshot.Job;

/** When jobs are expected to end. */
@FunctionalInterface
public interface ExpectedEnds {
  /**
   * What is expected of a job that is there now.
   *
   * @param ranNs how long it has run, beside waiting
   */
  ExpectedEnd of(Job job, long ranNs);
}
