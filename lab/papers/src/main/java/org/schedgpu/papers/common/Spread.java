package org.schedgpu.papers.common;

import java.util.List;

/**
 * Several values of one thing.
 *
 * @param mean of them
 * @param deviation their standard deviation (of the sample); 0 for a single one
 * @param least of them
 * @param most of them
 */
public record Spread(double mean, double deviation, double least, double most) {
  /** Of at least one value. */
  public static Spread of(List<Double> values) {
    double mean = values.stream().mapToDouble(value -> value).average().orElse(0);
    double squares = values.stream().mapToDouble(value -> (value - mean) * (value - mean)).sum();
    return new Spread(
        mean,
        values.size() < 2 ? 0 : StrictMath.sqrt(squares / (values.size() - 1)),
        values.stream().mapToDouble(value -> value).min().orElse(0),
        values.stream().mapToDouble(value -> value).max().orElse(0));
  }
}
