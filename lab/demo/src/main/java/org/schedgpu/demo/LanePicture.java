package org.schedgpu.demo;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.schedgpu.charts.Key;
import org.schedgpu.charts.LineChart;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.RowChart;
import org.schedgpu.charts.Series;
import org.schedgpu.charts.Sheet;

/** Two panels: the throughput of trainings in a fair lane, and who had the turn under SRTF. */
final class LanePicture {
  private static final int WIDTH = 1600;
  private static final int HEIGHT = 560;
  private static final int MARGIN = 28;
  private static final int PANEL_WIDTH = (WIDTH - 3 * MARGIN) / 2;
  private static final int RIGHT = PANEL_WIDTH + 2 * MARGIN;
  private static final int PANEL_TOP = 112;
  private static final int LEGEND = 142;
  private static final int CHART_TOP = 164;
  private static final int CHART_HEIGHT = 330;
  private static final int FOOT = 40;

  private LanePicture() {}

  /**
   * Writes the picture as PNG.
   *
   * @throws DemoException if it cannot be written
   */
  static void write(LaneResult fair, LaneResult srtf, Path file) {
    try {
      sheet(fair, srtf).writePng(file);
    } catch (IOException e) {
      throw new DemoException("cannot write " + file, e);
    }
  }

  static Sheet sheet(LaneResult fair, LaneResult srtf) {
    Sheet sheet =
        new Sheet(WIDTH, HEIGHT)
            .head(
                "Jobs that take turns on one EMULATED GPU, iteration by iteration",
                String.format(
                    Locale.ROOT,
                    "Each needs %,d of %,d MiB in an iteration, and keeps %,d MiB between two:"
                        + " without lanes they run one after the other. Processes started by"
                        + " schedgpu run --lane; kernels take time and compute nothing.",
                    Training.BUDGET_MIB,
                    LaneNode.DEVICE_MIB,
                    Training.MODEL_MIB),
                MARGIN);
    panel(sheet, fair, MARGIN);
    sheet.legend(MARGIN, LEGEND, RIGHT - MARGIN, rateKeys(fair));
    sheet.chart(rates(fair), MARGIN, CHART_TOP, PANEL_WIDTH, CHART_HEIGHT);
    panel(sheet, srtf, RIGHT);
    sheet.legend(
        RIGHT,
        LEGEND,
        WIDTH,
        List.of(
            new Key(Palette.BLUE, "has the turn"),
            new Key(Palette.PALE_GREY, "waits for it"),
            new Key(null, "right: from arrival to end")));
    sheet.chart(rows(srtf), RIGHT, CHART_TOP, PANEL_WIDTH, CHART_HEIGHT);
    return sheet.text(
        String.format(
            Locale.ROOT,
            "Seconds since the first job started. Left: iterations per second in windows of"
                + " %.2f s. As Figures 11 and 9a of the Salus paper.",
            fair.scenario().windowSeconds()),
        MARGIN,
        HEIGHT - FOOT + 16,
        Palette.plain(13),
        Palette.FAINT);
  }

  private static void panel(Sheet sheet, LaneResult result, int left) {
    sheet.text(
        result.scenario().policy().toUpperCase(Locale.ROOT) + ": " + result.scenario().title(),
        left,
        PANEL_TOP,
        Palette.bold(16),
        Palette.TEXT);
  }

  private static Color colour(int training) {
    return List.of(Palette.BLUE, Palette.ORANGE, Palette.GREEN).get(training % 3);
  }

  private static List<Key> rateKeys(LaneResult result) {
    List<Key> keys = new ArrayList<>();
    keys.add(new Key(Palette.GREY, "all"));
    for (int i = 0; i < result.results().size(); i++) {
      keys.add(new Key(colour(i), result.results().get(i).name()));
    }
    return keys;
  }

  private static LineChart rates(LaneResult result) {
    List<Double> at = new ArrayList<>(result.windows());
    at.add(result.endSeconds());
    double most = result.rates().stream().mapToDouble(rate -> rate).max().orElse(0);
    LineChart chart =
        new LineChart()
            .x(0, Math.max(result.scenario().windowSeconds(), result.endSeconds()))
            .y(0, Math.max(1, 1.1 * most))
            .xLabels(value -> String.format(Locale.ROOT, value == 0 ? "%,.0f s" : "%,.0f", value))
            .noLegend()
            .add(Series.steps("all", at, toTheEnd(result.rates()), Palette.GREY).asDashes());
    for (int i = 0; i < result.results().size(); i++) {
      TrainingResult one = result.results().get(i);
      chart.add(Series.steps(one.name(), at, toTheEnd(result.rates(one)), colour(i)));
    }
    return chart;
  }

  /** The last step has an end, too. */
  private static List<Double> toTheEnd(List<Double> rates) {
    List<Double> longer = new ArrayList<>(rates);
    longer.add(rates.isEmpty() ? 0 : rates.get(rates.size() - 1));
    return longer;
  }

  private static RowChart rows(LaneResult result) {
    List<Turn> turns = Turn.of(result.results());
    List<RowChart.Row> rows =
        result.results().stream().map(one -> row(result, one, turns)).toList();
    return new RowChart(rows, Math.max(0.1, result.endSeconds() * 1.02), "s");
  }

  private static RowChart.Row row(LaneResult result, TrainingResult one, List<Turn> turns) {
    List<RowChart.Bar> bars = new ArrayList<>();
    double end = result.seconds(one.endNs());
    bars.add(new RowChart.Bar(result.seconds(one.startedNs()), end, Palette.PALE_GREY));
    turns.stream()
        .filter(turn -> turn.name().equals(one.name()))
        .map(
            turn ->
                new RowChart.Bar(
                    result.seconds(turn.fromNs()), result.seconds(turn.toNs()), Palette.BLUE))
        .forEach(bars::add);
    return one.failed()
        ? new RowChart.Row(one.name(), "failed", bars, end)
        : new RowChart.Row(
            one.name(), String.format(Locale.ROOT, "%.1f s", one.completionSeconds()), bars, null);
  }
}
