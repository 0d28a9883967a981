package org.schedgpu.agent.history;

import java.util.List;
import java.util.OptionalLong;

/**
 * What one look at the region adds to the history: written as a whole or not at all.
 *
 * @param region of which the jobs are
 * @param nowNs time of day, since 1970
 * @param lastSequence of the jobs that ended, so far
 * @param missed jobs that ended since the look before, and are forgotten by the region already
 * @param running jobs that are new, or of which a number changed
 * @param ended oldest first
 * @param vanished jobs that are there no more, and did not end as far as is known
 * @param devices samples
 * @param jobs samples
 */
record HistoryBatch(
    RegionKey region,
    long nowNs,
    long lastSequence,
    long missed,
    List<SeenJob> running,
    List<SeenJob> ended,
    List<JobKey> vanished,
    List<DeviceSample> devices,
    List<SeenSample> jobs) {

  /**
   * A region: made once, at one boot.
   *
   * @param bootId of the kernel
   * @param createdNs CLOCK_MONOTONIC
   */
  record RegionKey(String bootId, String runDir, long createdNs) {}

  /**
   * What tells a job of a region from all others: numbers are given again.
   *
   * @param begunNs CLOCK_MONOTONIC
   */
  record JobKey(String kind, long id, long begunNs) {}

  /**
   * A job that was seen.
   *
   * @param sequence of its end; empty: it runs
   */
  record SeenJob(JobKey key, OptionalLong sequence, JobRecord job) {}

  /** A sample of a job that is running. */
  record SeenSample(JobKey key, int device, long heldBytes, long inUseBytes) {}
}
