package org.schedgpu.agent.forecast;

import java.util.Arrays;
import java.util.List;
import org.schedgpu.jna.RegionSnapshot.Job;

/** How long earlier jobs of the same user and name ran, waits excluded. */
@FunctionalInterface
public interface Durations {
  /** In nanoseconds, in any order; empty if there were no such jobs. */
  List<Long> of(Job job);

  /**
   * The median of the remaining times of past jobs that had run as long as this one. A job that has
   * run for an hour is not compared with jobs that failed in the first minute.
   */
  default ExpectedEnds ends() {
    return (job, ranNs) -> {
      List<Long> before = of(job);
      long[] longer = before.stream().mapToLong(Long::longValue).filter(ns -> ns > ranNs).toArray();
      if (before.isEmpty()) {
        return ExpectedEnd.unknown("has never run before");
      }
      return longer.length == 0
          ? ExpectedEnd.unknown("runs longer than ever before")
          : ExpectedEnd.likely(median(longer) - ranNs);
    };
  }

  /** The middle value; for an even number of values the mean of the two in the middle. */
  static long median(long[] values) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1
        ? sorted[middle]
        : sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
  }
}
