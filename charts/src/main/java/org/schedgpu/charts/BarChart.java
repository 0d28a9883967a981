package org.schedgpu.charts;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.CategoryStyler;

/** Groups of bars beside each other: a group for each category, a bar for each series. */
public final class BarChart implements Chart {
  private static final double GROUP_SHARE = 0.86;

  private static final double ROOM = 0.07;
  private static final Font FONT = Palette.plain(13);

  /** A logarithmic axis begins so much lower: else XChart does not label its foot. */
  private static final double BELOW = 0.95;

  private final List<String> categories;
  private final List<Bars> all = new ArrayList<>();
  private final List<Bound> bounds = new ArrayList<>();
  private Double lowest;
  private Double highest;
  private String title = "";
  private String yTitle = "";
  private boolean logarithmic;
  private boolean overlapped;
  private boolean legend = true;
  private DoubleFunction<String> tick;
  private DoubleFunction<String> label = value -> "";

  /**
   * The bars of one series.
   *
   * @param name as the legend shows it
   * @param colour of the bars
   * @param values one for each category; null for no bar
   * @param from where a thin line through each bar begins; null for none
   * @param to where it ends
   */
  public record Bars(
      String name, Color colour, List<Double> values, List<Double> from, List<Double> to) {
    /** Bars without thin lines. */
    public Bars(String name, Color colour, List<Double> values) {
      this(name, colour, values, null, null);
    }

    /** Bars with a thin line from the value of each to {@code most}; null for none. */
    public Bars(String name, Color colour, List<Double> values, List<Double> most) {
      this(name, colour, values, values, most);
    }

    /** The same with a thin line between two values, as of an interval of confidence. */
    public Bars between(List<Double> least, List<Double> most) {
      return new Bars(name, colour, values, least, most);
    }
  }

  /**
   * A chart without bars, with room for all that come, and for 0.
   *
   * @param categories the names below the groups
   */
  public BarChart(List<String> categories) {
    this.categories = List.copyOf(categories);
  }

  /**
   * A chart without bars.
   *
   * @param lowest value at the foot of all bars
   * @param highest value at the top of the chart
   */
  public BarChart(List<String> categories, double lowest, double highest) {
    this(categories);
    this.lowest = lowest;
    this.highest = highest;
  }

  /** Writes a title above the chart. */
  public BarChart title(String text) {
    title = text;
    return this;
  }

  /** Makes the axis logarithmic; its ends must be powers of ten. */
  public BarChart logarithmic() {
    logarithmic = true;
    return this;
  }

  /** Names the axis of values. */
  public BarChart axis(String title) {
    yTitle = title;
    return this;
  }

  /** Writes the labels of the axis of values in this form. */
  public BarChart ticks(DoubleFunction<String> text) {
    tick = text;
    return this;
  }

  /** Writes its value above each bar in this form. */
  public BarChart labels(DoubleFunction<String> text) {
    label = text;
    return this;
  }

  /** Draws the bars of a category at the same place; at most one of them should be there. */
  public BarChart overlapped() {
    overlapped = true;
    return this;
  }

  /** Leaves the legend out. */
  public BarChart noLegend() {
    legend = false;
    return this;
  }

  /**
   * Adds bars.
   *
   * @throws IllegalArgumentException if there is not one value for each category
   */
  public BarChart add(Bars bars) {
    if (bars.values().size() != categories.size()) {
      throw new IllegalArgumentException(
          "charts: bars '%s' have %d values: give one for each of the %d categories, or null"
              .formatted(bars.name(), bars.values().size(), categories.size()));
    }
    all.add(bars);
    return this;
  }

  /**
   * Draws a dashed line across.
   *
   * @param place where its text is: 0 begins it at the left end, 1 ends it at the right end
   */
  public BarChart bound(double value, String text, double place) {
    bounds.add(new Bound(value, text, place));
    return this;
  }

  @Override
  public void paint(Graphics2D graphics, int width, int height) {
    CategoryChart chart = new CategoryChart(width, height);
    style(chart, width);
    for (Bars bars : all) {
      CategorySeries series = chart.addSeries(bars.name(), categories, bars.values());
      series.setFillColor(bars.colour());
      series.setLineColor(bars.colour());
    }
    chart.addAnnotation(
        new BarEnds(
            all, overlapped ? 1 : all.size(), GROUP_SHARE, logarithmic ? foot() : 0, label));
    bounds.forEach(chart::addAnnotation);
    chart.paint(graphics, width, height);
  }

  /** From the lowest to the highest of all values and 0, with a little room. */
  private void findRange() {
    double[] values =
        all.stream()
            .flatMap(bars -> Stream.of(bars.values(), bars.from(), bars.to()))
            .filter(Objects::nonNull)
            .flatMap(List::stream)
            .filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue)
            .toArray();
    double least = DoubleStream.of(values).map(value -> Math.min(0, value)).min().orElse(0);
    double most = DoubleStream.of(values).map(value -> Math.max(0, value)).max().orElse(0);
    double room = ROOM * (most - least);
    lowest = least < 0 ? least - room : 0;
    highest = most > 0 ? most + room : least < 0 ? 0 : 1;
  }

  private double foot() {
    return logarithmic ? lowest * BELOW : lowest;
  }

  private void style(CategoryChart chart, int width) {
    CategoryStyler styler = chart.getStyler();
    Style.apply(styler);
    chart.setTitle(title);
    chart.setYAxisTitle(yTitle);
    styler.setXAxisTitleVisible(false).setYAxisTitleVisible(!yTitle.isEmpty());
    if (lowest == null) {
      findRange();
    }
    styler.setYAxisMin(foot()).setYAxisMax(highest);
    styler.setYAxisLogarithmic(logarithmic).setYAxisLogarithmicDecadeOnly(true);
    styler.setYAxisDecimalPattern("#,##0.###");
    if (tick != null) {
      styler.setYAxisTickLabelsFormattingFunction(tick::apply);
    }
    styler.setAxisTickLabelsFont(FONT);
    styler.setXAxisTickLabelsColor(Palette.TEXT);
    styler.setXAxisLabelRotation(fits(width) ? 0 : 45);
    styler.setPlotGridVerticalLinesVisible(false);
    styler.setXAxisMaxLabelCount(Math.max(2, categories.size())); // 1 is an error
    styler.setLegendVisible(legend);
    styler.setAvailableSpaceFill(GROUP_SHARE);
    styler.setOverlapped(overlapped);
  }

  /** True if the names of the categories have room beside each other. */
  private boolean fits(int width) {
    int longest = categories.stream().mapToInt(name -> Sheet.width(name, FONT)).max().orElse(0);
    return longest * categories.size() < width * 0.85;
  }
}
