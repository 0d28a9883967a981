package org.schedgpu.bench;

import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A vertical logarithmic axis between two powers of ten.
 *
 * @param lowest exponent at the bottom
 * @param highest exponent at the top
 * @param bottom pixel of the bottom
 * @param height pixels
 */
record LogAxis(int lowest, int highest, double bottom, double height) {
  /** One that shows all of these values. */
  static LogAxis of(DoubleStream values, double bottom, double height) {
    double[] all = values.toArray();
    double smallest = DoubleStream.of(all).min().orElse(1);
    double largest = DoubleStream.of(all).max().orElse(1);
    int lowest = (int) Math.floor(Math.log10(smallest));
    int highest = Math.max(lowest + 1, (int) Math.ceil(Math.log10(largest)));
    return new LogAxis(lowest, highest, bottom, height);
  }

  double y(double value) {
    return bottom - height * (Math.log10(value) - lowest) / (highest - lowest);
  }

  /** The powers of ten. */
  double[] ticks() {
    return IntStream.rangeClosed(lowest, highest).mapToDouble(e -> Math.pow(10, e)).toArray();
  }
}
