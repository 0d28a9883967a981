package org.schedgpu.bench;

/**
 * The time of one operation, and its limit.
 *
 * @param name stable; see docs/explanation/performance.md
 * @param unit of the figures: ns, us, ms, or MB for 2^20 bytes
 * @param p50 the median
 * @param p99 the 99th percentile
 * @param limit median of the limit, measured in the same run
 * @param limitIs what the limit does
 */
record Measurement(String name, String unit, double p50, double p99, double limit, String limitIs) {
  /** How many times the limit. */
  double ratio() {
    return p50 / limit;
  }
}
