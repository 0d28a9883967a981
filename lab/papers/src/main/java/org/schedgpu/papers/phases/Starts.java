package org.schedgpu.papers.phases;

/**
 * When the cluster starts jobs, which it does in the order of submission.
 *
 * @param atOnce jobs that may run at the same time, at least 1
 * @param inBatches whether a place is free again only when all jobs of the batch have ended: tasks
 *     that somebody packed by hand
 * @param delayNs from a submission to the start, if there is a place
 * @param pauseNs from the end of a job to the start of the one that waits for its place
 */
public record Starts(int atOnce, boolean inBatches, long delayNs, long pauseNs) {
  /** So many at once, without any time that the cluster takes. */
  public static Starts atOnce(int jobs) {
    return new Starts(jobs, false, 0, 0);
  }

  /** Batches of so many, without any time that the cluster takes. */
  public static Starts batchesOf(int jobs) {
    return new Starts(jobs, true, 0, 0);
  }
}
