package org.schedgpu.agent.history;

import java.util.List;
import java.util.OptionalLong;

/**
 * What one sample of the region adds to the history, in one transaction.
 *
 * @param region the region of the jobs
 * @param nowNs time of day, since 1970
 * @param lastSequence of the ended jobs so far
 * @param missed number of jobs that ended since the last sample and that the region no longer
 *     remembers
 * @param running jobs that are new, or have a changed number
 * @param ended oldest first
 * @param vanished jobs that no longer exist although no end is known
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
   * A region: made once, during one boot.
   *
   * @param bootId of the kernel
   * @param createdNs CLOCK_MONOTONIC
   */
  record RegionKey(String bootId, String runDir, long createdNs) {}

  /**
   * Identifies a job of a region, because job numbers are reused.
   *
   * @param begunNs CLOCK_MONOTONIC
   */
  record JobKey(String kind, long id, long begunNs) {}

  /**
   * A job in a sample.
   *
   * @param sequence of its end; empty: it runs
   */
  record SeenJob(JobKey key, OptionalLong sequence, JobRecord job) {}

  /**
   * A sample of a job that is running.
   *
   * @param holds true if memory is reserved for it there, beside contexts: only such samples count
   *     for what it reserved and used in the time in which it held memory
   */
  record SeenSample(JobKey key, int device, long heldBytes, long inUseBytes, boolean holds) {
    /** Of a job that holds memory. */
    SeenSample(JobKey key, int device, long heldBytes, long inUseBytes) {
      this(key, device, heldBytes, inUseBytes, true);
    }
  }
}
