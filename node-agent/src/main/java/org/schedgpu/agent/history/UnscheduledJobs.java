package org.schedgpu.agent.history;

import java.util.HashMap;
import java.util.Map;
import org.schedgpu.agent.history.HistoryBatch.JobKey;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * What ran unscheduled in jobs and is not in the history yet. Used by one thread, that of the task
 * that sees it and of the history.
 */
public final class UnscheduledJobs {
  /** While the history cannot be written, no more are remembered. */
  private static final int MAX_JOBS = 4096;

  private final Map<JobKey, Unscheduled> jobs = new HashMap<>();

  /** Adds what a look shows of a job. */
  public void see(Job job, Unscheduled seen) {
    JobKey key = JobSampler.key(job);
    if (jobs.size() < MAX_JOBS || jobs.containsKey(key)) {
      jobs.merge(key, seen, Unscheduled::and);
    }
  }

  Map<JobKey, Unscheduled> waiting() {
    return jobs;
  }

  /** They are in the history. */
  void written() {
    jobs.clear();
  }
}
