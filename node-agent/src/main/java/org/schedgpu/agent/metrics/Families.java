package org.schedgpu.agent.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;

/** Collects the metrics of one scrape. */
final class Families {
  private final MetricSnapshots.Builder all = MetricSnapshots.builder();

  /** A number that goes up and down. */
  void gauge(String name, String help, double value) {
    gauges(name, help, Map.of(Labels.EMPTY, value));
  }

  /** One for each set of labels. */
  void gauges(String name, String help, Map<Labels, Double> values) {
    GaugeSnapshot.Builder builder = GaugeSnapshot.builder().name(name).help(help);
    values.forEach(
        (labels, value) ->
            builder.dataPoint(
                GaugeDataPointSnapshot.builder().labels(labels).value(value).build()));
    all.metricSnapshot(builder.build());
  }

  /**
   * A number that only grows.
   *
   * @param name without {@code _total}, which the format adds
   */
  void counter(String name, String help, long value) {
    counters(name, help, Map.of(Labels.EMPTY, (double) value));
  }

  /** One for each set of labels. */
  void counters(String name, String help, Map<Labels, Double> values) {
    CounterSnapshot.Builder builder = CounterSnapshot.builder().name(name).help(help);
    values.forEach(
        (labels, value) ->
            builder.dataPoint(
                CounterDataPointSnapshot.builder().labels(labels).value(value).build()));
    all.metricSnapshot(builder.build());
  }

  /**
   * Facts that are not numbers.
   *
   * @param name without {@code _info}, which the format adds
   */
  void info(String name, String help, List<Labels> facts) {
    InfoSnapshot.Builder builder = InfoSnapshot.builder().name(name).help(help);
    facts.forEach(
        labels -> builder.dataPoint(InfoDataPointSnapshot.builder().labels(labels).build()));
    all.metricSnapshot(builder.build());
  }

  void add(MetricSnapshot snapshot) {
    all.metricSnapshot(snapshot);
  }

  MetricSnapshots build() {
    return all.build();
  }
}
