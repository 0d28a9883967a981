package org.schedgpu.demo;

/**
 * A time within a run, in seconds of the paper's test-bed since the first job was submitted.
 *
 * @param from its begin
 * @param to its end
 */
record Span(double from, double to) {
  double seconds() {
    return to - from;
  }
}
