package org.schedgpu.agent.report;

import java.util.List;

/** Quantiles by the nearest rank: each is one of the values. */
final class Quantiles {
  private Quantiles() {}

  /**
   * The smallest value that this percentage of the values does not exceed; 0 without values.
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
