package org.schedgpu.agent.metrics;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import org.schedgpu.charts.LineChart;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.Sheet;

/** Draws a dashboard from the answers to its queries, without Grafana. */
final class DashboardPicture {
  private static final int COLUMN = 56;
  private static final int ROW = 32;
  private static final int COLUMNS = 24;
  private static final int TITLE = 76;
  private static final int GAP = 4;
  private static final double GIB = 1L << 30;
  private static final Color BACK = new Color(0xf4f5f5);
  private static final Color VALUE = new Color(0x1a7f4b);

  private final double startS;
  private final Sheet sheet;

  /** A panel with the named series of its queries. */
  record Drawn(Dashboard.Panel panel, List<String> names, List<Series> series) {
    /** Too many names for a line. */
    boolean isTalkative() {
      return names.size() > 3 && panel.place().width() <= COLUMNS / 3;
    }
  }

  private DashboardPicture(int rows, double startS) {
    this.startS = startS;
    sheet = new Sheet(COLUMNS * COLUMN, TITLE + rows * ROW);
    sheet.rectangle(0, 0, COLUMNS * COLUMN, TITLE + rows * ROW, BACK);
  }

  /**
   * Draws a PNG.
   *
   * @param startS begin of the time axes
   */
  static void write(List<Drawn> panels, double startS, String title, String below, Path file)
      throws IOException {
    int rows =
        panels.stream()
            .mapToInt(p -> p.panel().place().y() + p.panel().place().height())
            .max()
            .orElse(1);
    DashboardPicture picture = new DashboardPicture(rows, startS);
    picture.sheet.head(title, below, 12);
    panels.forEach(picture::draw);
    picture.sheet.writePng(file);
  }

  private void draw(Drawn drawn) {
    Dashboard.Place place = drawn.panel().place();
    int x = place.x() * COLUMN + GAP;
    int y = TITLE + place.y() * ROW + GAP;
    int width = place.width() * COLUMN - 2 * GAP;
    int height = place.height() * ROW - 2 * GAP;
    if (drawn.panel().type().equals("stat")) {
      number(drawn, x, y, width, height);
    } else {
      sheet.chart(chart(drawn), x, y, width, height);
    }
  }

  private void number(Drawn drawn, int x, int y, int width, int height) {
    double last = drawn.series().get(0).last();
    sheet
        .rectangle(x, y, width, height, Color.WHITE)
        .text(drawn.panel().title(), x + 10, y + 20, Palette.bold(13), Palette.TEXT)
        .text(format(last, drawn.panel().unit()), x + 10, y + 80, Palette.bold(40), VALUE);
  }

  private static String format(double value, String unit) {
    return switch (unit) {
      case "percentunit" -> String.format(Locale.ROOT, "%.0f %%", 100 * value);
      case "s" -> String.format(Locale.ROOT, "%.1f s", value);
      default -> String.format(Locale.ROOT, "%.0f", value);
    };
  }

  private static double scale(String unit) {
    return switch (unit) {
      case "bytes" -> 1 / GIB;
      case "percentunit" -> 100;
      default -> 1;
    };
  }

  private static String axis(String unit) {
    return switch (unit) {
      case "bytes" -> "GiB";
      case "percentunit" -> "%";
      case "s" -> "seconds";
      default -> "";
    };
  }

  private LineChart chart(Drawn drawn) {
    Dashboard.Panel panel = drawn.panel();
    LineChart chart = new LineChart().title(panel.title()).axes("", axis(panel.unit())).yFromZero();
    if (drawn.isTalkative()) {
      chart.legendRight();
    }
    if (drawn.series().stream().allMatch(series -> !(series.most() > 0))) {
      chart.y(0, 1);
    }
    return panel.stacked() ? chart.stack(areas(drawn)) : lines(chart, drawn);
  }

  private LineChart lines(LineChart chart, Drawn drawn) {
    for (int i = 0; i < drawn.series().size(); i++) {
      Series series = drawn.series().get(i);
      chart.add(
          org.schedgpu.charts.Series.line(
              drawn.names().get(i),
              seconds(series.times()),
              scaled(drawn, series.values()),
              colour(drawn, i)));
    }
    return chart;
  }

  private List<org.schedgpu.charts.Series> areas(Drawn drawn) {
    SortedSet<Double> all = new TreeSet<>();
    drawn.series().forEach(series -> all.addAll(series.times()));
    List<org.schedgpu.charts.Series> areas = new ArrayList<>();
    for (int i = 0; i < drawn.series().size(); i++) {
      Series series = drawn.series().get(i);
      List<Double> values = all.stream().map(series::at).toList();
      areas.add(
          org.schedgpu.charts.Series.area(
              drawn.names().get(i),
              seconds(List.copyOf(all)),
              scaled(drawn, values),
              colour(drawn, i)));
    }
    return areas;
  }

  private List<Double> seconds(List<Double> times) {
    return times.stream().map(time -> time - startS).toList();
  }

  private static List<Double> scaled(Drawn drawn, List<Double> values) {
    double scale = scale(drawn.panel().unit());
    return values.stream().map(value -> value * scale).toList();
  }

  private static Color colour(Drawn drawn, int i) {
    return drawn.names().get(i).equals("free") ? Palette.PALEST_GREY : Palette.series(i);
  }
}
