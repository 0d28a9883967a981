package org.schedgpu.papers.common;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.util.Arrays;
import java.util.List;
import org.schedgpu.charts.LineChart;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.Series;
import org.schedgpu.charts.Sheet;

/** Lines over a numeric axis. */
public final class Lines implements Drawing {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;

  private final LineChart chart = new LineChart();
  private int count;

  /** The titles of the picture and of its axes, with units. */
  public Lines(String title, String xTitle, String yTitle) {
    chart.title(title).axes(xTitle, yTitle).yFromZero();
  }

  /** A line through points. */
  public Lines line(String name, double[] x, double[] y) {
    chart.add(Series.line(name, boxed(x), boxed(y), nextColour()));
    return this;
  }

  /** A dashed line: a model, a bound. */
  public Lines dashed(String name, double[] x, double[] y) {
    chart.add(Series.line(name, boxed(x), boxed(y), nextColour()).asDashes());
    return this;
  }

  /** A course that changes in steps. */
  public Lines steps(String name, double[] x, double[] y) {
    chart.add(Series.steps(name, boxed(x), boxed(y), nextColour()));
    return this;
  }

  /** The dashed lines that follow have the colours of the lines before, from the first on. */
  public Lines sameColours() {
    count = 0;
    return this;
  }

  private Color nextColour() {
    return Palette.series(count++);
  }

  private static List<Double> boxed(double... values) {
    return Arrays.stream(values).boxed().toList();
  }

  @Override
  public BufferedImage draw() {
    return new Sheet(WIDTH, HEIGHT).chart(chart, 10, 10, WIDTH - 20, HEIGHT - 20).image();
  }
}
