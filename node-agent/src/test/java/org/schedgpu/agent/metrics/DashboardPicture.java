package org.schedgpu.agent.metrics;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import javax.imageio.ImageIO;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws a dashboard from the answers to its queries, where there is no Grafana to do it. */
final class DashboardPicture {
  private static final int COLUMN = 56;
  private static final int ROW = 32;
  private static final int COLUMNS = 24;
  private static final int TITLE = 56;
  private static final int GAP = 4;
  private static final double GIB = 1L << 30;
  private static final Color BACK = new Color(0xf4f5f5);
  private static final Color TEXT = new Color(0x24292e);
  private static final Color VALUE = new Color(0x1a7f4b);
  private static final Color[] COLOURS = {
    new Color(0x73bf69),
    new Color(0xf2cc0c),
    new Color(0x5794f2),
    new Color(0xff780a),
    new Color(0xb877d9),
    new Color(0xe02f44)
  };

  private static final Color FREE = new Color(0xe8e8e8);

  private final double startS;
  private final BufferedImage image;
  private final Graphics2D graphics;

  /** A panel with the series of its queries, already named. */
  record Drawn(Dashboard.Panel panel, List<String> names, List<Series> series) {
    /** Too many names for a line. */
    boolean isTalkative() {
      return names.size() > 3 && panel.place().width() <= COLUMNS / 3;
    }
  }

  private DashboardPicture(int rows, double startS) {
    this.startS = startS;
    image = new BufferedImage(COLUMNS * COLUMN, TITLE + rows * ROW, BufferedImage.TYPE_INT_RGB);
    graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setColor(BACK);
    graphics.fillRect(0, 0, image.getWidth(), image.getHeight());
  }

  /**
   * Into a PNG.
   *
   * @param startS when the axes of time begin
   */
  static void write(List<Drawn> panels, double startS, String title, String below, Path file)
      throws IOException {
    int rows =
        panels.stream()
            .mapToInt(p -> p.panel().place().y() + p.panel().place().height())
            .max()
            .orElse(1);
    DashboardPicture picture = new DashboardPicture(rows, startS);
    picture.text(title, 12, 24, Font.BOLD, 20, TEXT);
    picture.text(below, 12, 44, Font.PLAIN, 13, TEXT);
    panels.forEach(picture::draw);
    picture.graphics.dispose();
    ImageIO.write(picture.image, "png", file.toFile());
  }

  private void text(String text, int x, int y, int style, int size, Color colour) {
    graphics.setFont(new Font(Font.SANS_SERIF, style, size));
    graphics.setColor(colour);
    graphics.drawString(text, x, y);
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
      Graphics2D part = (Graphics2D) graphics.create(x, y, width, height);
      chart(drawn, width, height).paint(part, width, height);
      part.dispose();
    }
  }

  private void number(Drawn drawn, int x, int y, int width, int height) {
    graphics.setColor(Color.WHITE);
    graphics.fillRect(x, y, width, height);
    graphics.setColor(Color.LIGHT_GRAY);
    graphics.setStroke(new BasicStroke(1));
    graphics.drawRect(x, y, width, height);
    text(drawn.panel().title(), x + 10, y + 20, Font.BOLD, 13, TEXT);
    double last = drawn.series().get(0).last();
    text(format(last, drawn.panel().unit()), x + 10, y + 80, Font.BOLD, 40, VALUE);
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

  private XYChart chart(Drawn drawn, int width, int height) {
    Dashboard.Panel panel = drawn.panel();
    XYChart chart =
        new XYChartBuilder()
            .width(width)
            .height(height)
            .title(panel.title())
            .yAxisTitle(axis(panel.unit()))
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 13));
    if (drawn.isTalkative()) {
      chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    } else {
      chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
      chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
    }
    chart.getStyler().setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 10));
    chart.getStyler().setLegendBorderColor(Color.WHITE);
    chart.getStyler().setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 10));
    chart.getStyler().setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 10));
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setXAxisMin(0.0);
    chart.getStyler().setXAxisDecimalPattern("0");
    chart.getStyler().setPlotBorderColor(Color.LIGHT_GRAY);
    if (drawn.series().stream().allMatch(series -> !(series.most() > 0))) {
      chart.getStyler().setYAxisMax(1.0);
    }
    if (panel.stacked()) {
      stacked(chart, drawn);
    } else {
      lines(chart, drawn);
    }
    return chart;
  }

  private void lines(XYChart chart, Drawn drawn) {
    for (int i = 0; i < drawn.series().size(); i++) {
      Series series = drawn.series().get(i);
      add(chart, drawn, i, series.times(), series.values(), XYSeries.XYSeriesRenderStyle.Line);
    }
  }

  /** The sums first, the largest behind the others. */
  private void stacked(XYChart chart, Drawn drawn) {
    SortedSet<Double> all = new TreeSet<>();
    drawn.series().forEach(series -> all.addAll(series.times()));
    List<Double> times = List.copyOf(all);
    for (int i = drawn.series().size() - 1; i >= 0; i--) {
      List<Double> sums = new ArrayList<>();
      for (double time : times) {
        sums.add(drawn.series().subList(0, i + 1).stream().mapToDouble(s -> s.at(time)).sum());
      }
      add(chart, drawn, i, times, sums, XYSeries.XYSeriesRenderStyle.Area);
    }
  }

  private void add(
      XYChart chart,
      Drawn drawn,
      int i,
      List<Double> times,
      List<Double> values,
      XYSeries.XYSeriesRenderStyle style) {
    double scale = scale(drawn.panel().unit());
    XYSeries added =
        chart.addSeries(
            drawn.names().get(i),
            times.stream().mapToDouble(t -> t - startS).toArray(),
            values.stream().mapToDouble(v -> v * scale).toArray());
    Color colour = drawn.names().get(i).equals("free") ? FREE : COLOURS[i % COLOURS.length];
    added.setXYSeriesRenderStyle(style);
    added.setMarker(SeriesMarkers.NONE);
    added.setLineColor(colour);
    added.setFillColor(colour);
    added.setLineWidth(style == XYSeries.XYSeriesRenderStyle.Area ? 1 : 2);
  }
}
