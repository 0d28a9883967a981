package org.schedgpu.papers.paper004;

import java.util.ArrayList;
import java.util.List;

/**
 * What became of the jobs.
 *
 * @param jobs in the order in which they were given
 * @param mostBytes the most that persistent memory and lanes took at a time
 * @param mostLanes the most lanes at a time
 * @param gpuBusyNs how long at least one job computed
 */
record LaneOutcome(List<JobRun> jobs, long mostBytes, int mostLanes, long gpuBusyNs) {
  LaneOutcome {
    jobs = List.copyOf(jobs);
  }

  /**
   * A job that has ended.
   *
   * @param beginNs of its iterations
   * @param endNs of its iterations
   * @param wantedNs when it wanted to begin each
   */
  @SuppressWarnings("ArrayRecordComponent") // millions of values; nobody compares them
  record JobRun(LaneJob job, long[] wantedNs, long[] beginNs, long[] endNs) {
    /** From its arrival to its first iteration. */
    long queuedNs() {
      return beginNs[0] - job.arriveNs();
    }

    /** From its arrival to its end. */
    long completionNs() {
      return lastNs() - job.arriveNs();
    }

    /** When it ended. */
    long lastNs() {
      return endNs[endNs.length - 1];
    }
  }

  /** When the last job ended. */
  long makespanNs() {
    return jobs.stream().mapToLong(JobRun::lastNs).max().orElse(0);
  }

  /**
   * Iterations of a job one after the other, which no other job of its lane interrupted for long.
   *
   * @param job its number
   */
  record Span(int job, long fromNs, long toNs) {}

  /** The iterations of all jobs; those of one job at most {@code gapNs} apart are one span. */
  List<Span> spans(long gapNs) {
    List<Span> spans = new ArrayList<>();
    for (int job = 0; job < jobs.size(); job++) {
      JobRun run = jobs.get(job);
      long from = run.beginNs[0];
      for (int i = 1; i <= run.endNs.length; i++) {
        if (i == run.endNs.length || run.beginNs[i] - run.endNs[i - 1] > gapNs) {
          spans.add(new Span(job, from, run.endNs[i - 1]));
          from = i < run.endNs.length ? run.beginNs[i] : 0;
        }
      }
    }
    return spans;
  }
}
