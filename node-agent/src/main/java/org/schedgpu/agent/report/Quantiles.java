package org.schedgpu.agent.report;

import java.util.List;

/** Quantiles by the nearest rank: each is a value that was there. */
final class Quantiles {
  private Quantiles() {}

  /**
   * The smallest value that so many percent of the values do not exceed; 0 of none.
   *
   * @param sorted ascending
   */
  static long of(List<Long> sorted, int percent) {
    if (sorted.isEmpty()) {
      return 0;
    }
    int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
    return sorted.get(Math.max(1, rank) - 1);
  }
}
