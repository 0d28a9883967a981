package org.schedgpu.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What a scenario came to.
 *
 * @param results of its trainings, by their arrival
 * @param peakBytes the most memory of the device in use at once, contexts included (NVML)
 */
record LaneResult(Scenario scenario, List<TrainingResult> results, long peakBytes) {
  private static final double NS = 1e9;

  /** A time in which the same trainings shared the device, in ns of CLOCK_MONOTONIC. */
  record Phase(long fromNs, long toNs) {}

  /** The start of the first training. */
  long zeroNs() {
    return results.get(0).startedNs();
  }

  double seconds(long ns) {
    return (ns - zeroNs()) / NS;
  }

  /** When the last training ended, since the start. */
  double endSeconds() {
    return seconds(endNs());
  }

  private long endNs() {
    return results.stream().mapToLong(TrainingResult::endNs).max().orElse(zeroNs());
  }

  /** True if a training failed, or two had an iteration at once. */
  boolean failed() {
    return results.stream().anyMatch(TrainingResult::failed) || Turn.together(results) > 0;
  }

  /** The names of the trainings by their ends. */
  List<String> ends() {
    return results.stream()
        .sorted((a, b) -> Long.compare(a.endNs(), b.endNs()))
        .map(TrainingResult::name)
        .toList();
  }

  /** Between the first and the last iteration, with a border where a training begins or ends. */
  List<Phase> phases() {
    long[] borders =
        results.stream()
            .flatMapToLong(result -> LongStream.of(result.beginNs(), result.endNs()))
            .sorted()
            .distinct()
            .toArray();
    List<Phase> phases = new ArrayList<>();
    for (int i = 1; i < borders.length; i++) {
      phases.add(new Phase(borders[i - 1], borders[i]));
    }
    return phases;
  }

  /** The begins of windows of a throughput, in seconds since the start. */
  List<Double> windows() {
    double length = scenario.windowSeconds();
    return Stream.iterate(0.0, at -> at < endSeconds(), at -> at + length).toList();
  }

  /** The throughput of a training in each window, in iterations per second. The last is shorter. */
  List<Double> rates(TrainingResult result) {
    long lengthNs = (long) (scenario.windowSeconds() * NS);
    return windows().stream()
        .map(at -> zeroNs() + (long) (at * NS))
        .map(
            fromNs ->
                result.rate(fromNs, Math.max(fromNs + 1, Math.min(fromNs + lengthNs, endNs()))))
        .toList();
  }

  /** The sum of all throughputs in each window. */
  List<Double> rates() {
    List<Double> sums = new ArrayList<>(windows().stream().map(at -> 0.0).toList());
    for (TrainingResult result : results) {
      List<Double> rates = rates(result);
      for (int i = 0; i < sums.size(); i++) {
        sums.set(i, sums.get(i) + rates.get(i));
      }
    }
    return sums;
  }
}
