package org.schedgpu.papers.remote;

import java.util.List;

/**
 * What became of the jobs; arrays and lists by index of the job. Times are nanoseconds.
 *
 * @param startNs when the queue started each
 * @param endNs when it ended
 * @param places where it ran
 */
@SuppressWarnings("ArrayRecordComponent") // many jobs
public record QueueOutcome(long[] startNs, long[] endNs, List<List<Place>> places) {
  /** Jobs that used a GPU of another node. */
  public long remoteJobs() {
    return places.stream().filter(job -> job.stream().anyMatch(Place::isRemote)).count();
  }

  /** The end of the last job. */
  public long lastEndNs() {
    long last = 0;
    for (long end : endNs) {
      last = Math.max(last, end);
    }
    return last;
  }
}
