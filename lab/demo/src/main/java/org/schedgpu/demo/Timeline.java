package org.schedgpu.demo;

import java.util.List;

/**
 * Converts real times to seconds of the paper's test-bed since the first submission.
 *
 * @param zeroNs the first submission, CLOCK_MONOTONIC
 * @param scale how many times faster than the test-bed the demo runs
 */
record Timeline(long zeroNs, double scale) {
  private static final double NS = 1e9;

  double seconds(long ns) {
    return lengthSeconds(ns - zeroNs);
  }

  /** A length of time, in seconds of the paper's test-bed. */
  double lengthSeconds(long ns) {
    return ns / NS * scale;
  }

  Span span(long fromNs, long toNs) {
    return new Span(seconds(fromNs), seconds(toNs));
  }

  List<Span> spans(List<List<Long>> pairsNs) {
    return pairsNs.stream().map(pair -> span(pair.get(0), pair.get(1))).toList();
  }

  /** The samples up to a time, as points. */
  List<RunResult.Point> points(List<Sample> samples, double untilSeconds, long totalBytes) {
    return samples.stream()
        .filter(sample -> sample.ns() >= zeroNs && seconds(sample.ns()) <= untilSeconds)
        .map(
            sample ->
                new RunResult.Point(
                    seconds(sample.ns()),
                    100.0 * sample.usedBytes() / totalBytes,
                    sample.utilisationPercent()))
        .toList();
  }

  /** Percent of the time from zero in which the device was busy; -1 if it is not reported. */
  double busyPercent(List<Sample> samples, double untilSeconds) {
    if (samples.isEmpty() || samples.get(0).busyNs() < 0) {
      return -1;
    }
    long busyNs = samples.get(samples.size() - 1).busyNs() - samples.get(0).busyNs();
    return 100 * lengthSeconds(busyNs) / untilSeconds;
  }
}
