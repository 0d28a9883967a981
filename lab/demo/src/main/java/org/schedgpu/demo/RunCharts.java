package org.schedgpu.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.schedgpu.charts.LineChart;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.RowChart;
import org.schedgpu.charts.Series;

/** What the device did over the time of a run, and what each job did. */
final class RunCharts {
  private RunCharts() {}

  /** Memory and utilisation of the device. */
  static LineChart usage(RunResult run, double seconds) {
    List<Double> at = run.points().stream().map(RunResult.Point::seconds).toList();
    List<Double> memory = run.points().stream().map(RunResult.Point::memoryPercent).toList();
    List<Double> busy = run.points().stream().map(RunResult.Point::utilisationPercent).toList();
    return new LineChart()
        .x(0, seconds)
        .y(0, 100)
        .xLabels(value -> String.format(Locale.ROOT, value == 0 ? "%,.0f s" : "%,.0f", value))
        .yLabels(value -> String.format(Locale.ROOT, "%.0f %%", value))
        .noLegend()
        .add(Series.area("memory", at, memory, Palette.BLUE))
        .add(Series.line("utilisation", at, busy, Palette.ORANGE));
  }

  /** Each job as a row, and how long it waited for memory. */
  static RowChart jobs(RunResult run, double seconds) {
    List<RowChart.Row> rows =
        run.jobs().stream()
            .sorted(Comparator.comparing(job -> Program.NAMES.indexOf(job.program())))
            .map(RunCharts::row)
            .toList();
    return new RowChart(rows, seconds, "s");
  }

  private static RowChart.Row row(JobResult job) {
    List<RowChart.Bar> bars = new ArrayList<>();
    bars.add(new RowChart.Bar(0, job.run().from(), Palette.PALEST_GREY));
    bars.add(new RowChart.Bar(job.run().from(), job.run().to(), Palette.PALE_GREY));
    job.holding().forEach(span -> bars.add(new RowChart.Bar(span.from(), span.to(), Palette.BLUE)));
    job.asking().forEach(span -> bars.add(new RowChart.Bar(span.from(), span.to(), Palette.RED)));
    return job.outcome() == JobResult.Outcome.COMPLETED
        ? new RowChart.Row(job.name(), waitText(job.waitSeconds()), bars, null)
        : new RowChart.Row(job.name(), "died", bars, job.run().to());
  }

  private static String waitText(double waitSeconds) {
    return waitSeconds < 1 ? "-" : String.format(Locale.ROOT, "%,.0f s", waitSeconds);
  }
}
