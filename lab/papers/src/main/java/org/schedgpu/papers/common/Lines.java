package org.schedgpu.papers.common;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.schedgpu.charts.Key;
import org.schedgpu.charts.LineChart;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.Series;

/** Lines over a numeric axis. */
public final class Lines implements Drawing {
  private static final double ABOVE = 1.05;

  /** The third colour of the palette is for areas: too pale for a line. */
  private static final int PALE = 2;

  private final String title;
  private final String xTitle;
  private final String yTitle;
  private final List<Series> all = new ArrayList<>();
  private final List<Key> legend = new ArrayList<>();

  /** The titles of the picture and of its axes, with units. */
  public Lines(String title, String xTitle, String yTitle) {
    this.title = title;
    this.xTitle = xTitle;
    this.yTitle = yTitle;
  }

  /** A line through points. */
  public Lines line(String name, double[] x, double[] y) {
    return add(Series.line(name, boxed(x), boxed(y), colour(legend.size())));
  }

  /** A course that changes in steps. */
  public Lines steps(String name, double[] x, double[] y) {
    return add(Series.steps(name, boxed(x), boxed(y), colour(legend.size())));
  }

  private Lines add(Series series) {
    all.add(series);
    legend.add(new Key(series.colour(), series.name()));
    return this;
  }

  /** A dashed line in the colour of the line that was added as number {@code like}, from 0. */
  public Lines dashed(int like, double[] x, double[] y) {
    String name = legend.get(like).text() + " dashed";
    all.add(Series.line(name, boxed(x), boxed(y), colour(like)).asDashes());
    return this;
  }

  /** A remark at the end of the legend: what dashes mean. Comes after all lines. */
  public Lines remark(String text) {
    legend.add(new Key(null, text));
    return this;
  }

  static Color colour(int line) {
    return Palette.series(line < PALE ? line : line + 1);
  }

  private static List<Double> boxed(double... values) {
    return Arrays.stream(values).boxed().toList();
  }

  private static double[] ends(List<List<Double>> values) {
    return new double[] {
      values.stream().flatMap(List::stream).mapToDouble(v -> v).min().orElse(0),
      values.stream().flatMap(List::stream).mapToDouble(v -> v).max().orElse(1)
    };
  }

  @Override
  public BufferedImage draw() {
    double[] x = ends(all.stream().map(Series::x).toList());
    double[] y = ends(all.stream().map(Series::y).toList());
    LineChart chart = new LineChart().axes("", yTitle).x(x[0], x[1]).y(0, ABOVE * y[1]).noLegend();
    all.forEach(chart::add);
    return Frame.image(title, xTitle, chart, legend);
  }
}
