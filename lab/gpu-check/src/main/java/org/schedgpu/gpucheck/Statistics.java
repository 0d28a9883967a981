package org.schedgpu.gpucheck;

import java.util.Arrays;
import java.util.List;

/** Statistics of repeated measurements. */
final class Statistics {
  private static final double CONFIDENCE = 0.95;

  private Statistics() {}

  /**
   * A median with an interval that contains the true median with a probability of at least 95 %. It
   * follows from the binomial distribution of the number of values below the median, without an
   * assumption on the shape. With fewer than six values the interval is from the least to the
   * greatest.
   */
  record Median(double value, double low, double high) {
    @Override
    public String toString() {
      return "%.3f (%.3f to %.3f)".formatted(value, low, high);
    }
  }

  /**
   * The median of the values.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Median median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int n = sorted.length;
    if (n == 0) {
      throw new IllegalArgumentException("a median of nothing");
    }
    int outside = outside(n);
    return new Median(
        (sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[outside], sorted[n - 1 - outside]);
  }

  /**
   * How many values may be left out at either end: the largest k for which at most k heads are rare
   * enough.
   */
  private static int outside(int n) {
    double exactly = Math.pow(0.5, n); // the probability of k heads in n throws
    double atMost = exactly;
    int k = 0;
    while (2 * (atMost + exactly * (n - k) / (k + 1)) <= 1 - CONFIDENCE) {
      exactly = exactly * (n - k) / (k + 1);
      atMost += exactly;
      k++;
    }
    return k;
  }

  static double mean(double... values) {
    return Arrays.stream(values).average().orElse(Double.NaN);
  }
}
