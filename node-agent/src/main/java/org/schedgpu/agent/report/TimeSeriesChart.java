package org.schedgpu.agent.report;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.schedgpu.charts.LineChart;

/** Charts over the window of a report, with the same scale of time. */
final class TimeSeriesChart {
  private static final long NS_PER_MS = 1_000_000;
  private static final int LEFT_AXIS = 56;

  private TimeSeriesChart() {}

  /**
   * A chart without values.
   *
   * @param unit of the left axis, which begins at 0
   * @param most where the left axis ends
   */
  static LineChart of(ReportData data, String unit, double most) {
    return new LineChart()
        .time(
            Instant.ofEpochMilli(data.window().fromNs() / NS_PER_MS),
            Instant.ofEpochMilli(data.window().untilNs() / NS_PER_MS),
            ZoneId.of(data.timeZone()))
        .axes("", unit)
        .y(0, most)
        .left(LEFT_AXIS);
  }

  /** The times of a series. */
  static List<Double> times(List<Long> timeMs) {
    return timeMs.stream().map(Long::doubleValue).toList();
  }

  /** Values in a unit; null remains null. */
  static List<Double> in(double unit, List<Long> values) {
    return values.stream().map(v -> v == null ? null : Double.valueOf(v / unit)).toList();
  }
}
