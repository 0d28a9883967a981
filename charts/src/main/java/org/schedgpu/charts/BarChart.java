package org.schedgpu.charts;

import java.awt.Color;
import java.awt.Graphics2D;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.CategoryStyler;

/** Groups of bars beside each other: a group for each category, a bar for each series. */
public final class BarChart implements Chart {
  private static final double GROUP_SHARE = 0.86;

  /** A logarithmic axis begins so much lower: else XChart does not label its foot. */
  private static final double BELOW = 0.95;

  private final List<String> categories;
  private final double lowest;
  private final double highest;
  private final List<Bars> all = new ArrayList<>();
  private final List<Bound> bounds = new ArrayList<>();
  private String yTitle = "";
  private boolean logarithmic;
  private boolean legend = true;
  private DoubleFunction<String> tick = Double::toString;
  private DoubleFunction<String> label = value -> "";

  /**
   * The bars of one series.
   *
   * @param name as the legend shows it
   * @param colour of the bars
   * @param values one for each category; null for no bar
   * @param whiskers up to where a thin line goes from the top of each bar; null for none
   */
  public record Bars(String name, Color colour, List<Double> values, List<Double> whiskers) {}

  /**
   * A chart without bars.
   *
   * @param categories the names below the groups
   * @param lowest value at the foot of all bars
   * @param highest value at the top of the chart
   */
  public BarChart(List<String> categories, double lowest, double highest) {
    this.categories = List.copyOf(categories);
    this.lowest = lowest;
    this.highest = highest;
  }

  /** Makes the axis logarithmic, with a line at each power of ten. */
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
    CategoryStyler styler = chart.getStyler();
    Style.apply(styler);
    chart.setYAxisTitle(yTitle);
    styler.setXAxisTitleVisible(false).setYAxisTitleVisible(!yTitle.isEmpty());
    double foot = logarithmic ? lowest * BELOW : lowest;
    styler.setYAxisMin(foot).setYAxisMax(highest);
    styler.setYAxisLogarithmic(logarithmic).setYAxisLogarithmicDecadeOnly(true);
    styler.setYAxisTickLabelsFormattingFunction(tick::apply);
    styler.setAxisTickLabelsFont(Palette.plain(13));
    styler.setXAxisTickLabelsColor(Palette.TEXT);
    styler.setPlotGridVerticalLinesVisible(false);
    styler.setXAxisMaxLabelCount(categories.size());
    styler.setLegendVisible(legend);
    styler.setAvailableSpaceFill(GROUP_SHARE);
    for (Bars bars : all) {
      CategorySeries series = chart.addSeries(bars.name(), categories, bars.values());
      series.setFillColor(bars.colour());
      series.setLineColor(bars.colour());
    }
    chart.addAnnotation(new BarEnds(all, GROUP_SHARE, foot, label));
    bounds.forEach(chart::addAnnotation);
    chart.paint(graphics, width, height);
  }
}
