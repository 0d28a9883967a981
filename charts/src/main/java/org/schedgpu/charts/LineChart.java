package org.schedgpu.charts;

import java.awt.Graphics2D;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Lines, steps and areas over numbers or over time. One thread at a time. */
public final class LineChart implements Chart {
  private static final int FILL_ALPHA = 0x99;
  private static final int PERCENT_AXIS = 1;

  /**
   * So much longer is the axis of x: else XChart has no round ticks if places are equally spaced.
   */
  private static final double BEYOND = 1e-3;

  private static final Duration LONG = Duration.ofDays(2);

  private final List<Series> all = new ArrayList<>();
  private final List<Bound> bounds = new ArrayList<>();
  private final List<Consumer<XYChart>> settings = new ArrayList<>();
  private boolean dates;
  private boolean stacked;

  /** An empty chart. Axes without a name take no room for it. */
  public LineChart() {
    axes("", "");
  }

  /** Writes a title above the chart. */
  public LineChart title(String title) {
    return set(chart -> chart.setTitle(title));
  }

  /** Names the axes; an empty name takes no room. */
  public LineChart axes(String xTitle, String yTitle) {
    return set(
        chart -> {
          chart.setXAxisTitle(xTitle);
          chart.setYAxisTitle(yTitle);
          chart.getStyler().setXAxisTitleVisible(!xTitle.isEmpty());
          chart.getStyler().setYAxisTitleVisible(!yTitle.isEmpty());
        });
  }

  /** Shows these values of x, and no others. */
  public LineChart x(double from, double to) {
    return style(styler -> styler.setXAxisMin(from).setXAxisMax(to + (to - from) * BEYOND));
  }

  /** Shows these values of y, and no others. */
  public LineChart y(double from, double to) {
    return style(styler -> styler.setYAxisMin(from).setYAxisMax(to));
  }

  /** Begins the axis of y at 0 and ends it where the values do. */
  public LineChart yFromZero() {
    return style(styler -> styler.setYAxisMin(0.0));
  }

  /** Shows this time; x is in milliseconds since 1970. */
  public LineChart time(Instant from, Instant until, ZoneId zone) {
    dates = true;
    boolean isLong = Duration.between(from, until).compareTo(LONG) > 0;
    x((double) from.toEpochMilli(), (double) until.toEpochMilli());
    return style(
        styler -> {
          styler.setDatePattern(isLong ? "d MMM" : "HH:mm");
          styler.setTimezone(TimeZone.getTimeZone(zone));
          styler.setXAxisTickMarkSpacingHint(120);
        });
  }

  /** Writes the labels of the axis of x in this form. */
  public LineChart xLabels(DoubleFunction<String> text) {
    return style(styler -> styler.setXAxisTickLabelsFormattingFunction(text::apply));
  }

  /** Writes the labels of the axis of y in this form. */
  public LineChart yLabels(DoubleFunction<String> text) {
    return style(styler -> styler.setYAxisTickLabelsFormattingFunction(text::apply));
  }

  /** Leaves the legend out. */
  public LineChart noLegend() {
    return style(styler -> styler.setLegendVisible(false));
  }

  /** Puts the legend on the right, one name below the other. */
  public LineChart legendRight() {
    return style(
        styler ->
            styler
                .setLegendPosition(Styler.LegendPosition.OutsideE)
                .setLegendLayout(Styler.LegendLayout.Vertical));
  }

  /** Begins the plot so many pixels from the left, below those of other charts. */
  public LineChart left(int pixels) {
    return style(styler -> styler.setYAxisLeftWidthHint(pixels));
  }

  /** Adds values; those of which none is known are left out. */
  public LineChart add(Series series) {
    if (series.y().stream().anyMatch(Objects::nonNull)) {
      all.add(series);
    }
    return this;
  }

  /** Adds areas, each on top of the one before. All have the same places. */
  public LineChart stack(List<Series> areas) {
    stacked = true;
    List<Series> sums = new ArrayList<>();
    List<Double> sum = null;
    for (Series area : areas) {
      sum = sum == null ? area.y() : sum(sum, area.y());
      sums.add(area.with(sum, area.shape()));
    }
    Collections.reverse(sums); // the highest is behind the others
    sums.forEach(this::add);
    return this;
  }

  private static List<Double> sum(List<Double> below, List<Double> values) {
    List<Double> sum = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      boolean known = below.get(i) != null && values.get(i) != null;
      sum.add(known ? Double.valueOf(below.get(i) + values.get(i)) : null);
    }
    return sum;
  }

  /**
   * Draws a dashed line across.
   *
   * @param place where its text is: 0 begins it at the left end, 1 ends it at the right end
   */
  public LineChart bound(double value, String text, double place) {
    bounds.add(new Bound(value, text, place));
    return this;
  }

  @Override
  public void paint(Graphics2D graphics, int width, int height) {
    XYChart chart = new XYChart(width, height);
    Style.apply(chart.getStyler());
    chart
        .getStyler()
        .setXAxisTickMarkSpacingHint(Style.TICK_DISTANCE)
        .setYAxisTickMarkSpacingHint(36);
    chart.getStyler().setXAxisDecimalPattern("#,##0.###").setYAxisDecimalPattern("#,##0.###");
    settings.forEach(setting -> setting.accept(chart));
    all.forEach(series -> add(chart, series));
    if (all.isEmpty()) {
      chart.addSeries(" ", new double[] {0, 1}, new double[] {Double.NaN, Double.NaN});
      chart.getStyler().setLegendVisible(false);
    }
    bounds.forEach(chart::addAnnotation);
    chart.paint(graphics, width, height);
  }

  private void add(XYChart chart, Series series) {
    List<Double> y = series.y().stream().map(v -> v == null ? Double.NaN : v).toList();
    XYSeries added =
        dates
            ? chart.addSeries(
                series.name(),
                series.x().stream().map(Double::longValue).map(Date::new).toList(),
                y)
            : chart.addSeries(series.name(), series.x(), y);
    added.setXYSeriesRenderStyle(renderStyle(series.shape()));
    added.setMarker(SeriesMarkers.NONE);
    added.setLineColor(series.colour());
    added.setLineStyle(Style.line(series.dashed()));
    added.setFillColor(stacked ? series.colour() : Palette.faded(series.colour(), FILL_ALPHA));
    if (series.percent()) {
      added.setYAxisGroup(PERCENT_AXIS);
      chart.setYAxisGroupTitle(PERCENT_AXIS, "%");
      chart.getStyler().setYAxisGroupPosition(PERCENT_AXIS, Styler.YAxisPosition.Right);
      chart.getStyler().setYAxisMin(PERCENT_AXIS, 0.0).setYAxisMax(PERCENT_AXIS, 100.0);
    }
  }

  private static XYSeriesRenderStyle renderStyle(Series.Shape shape) {
    return switch (shape) {
      case LINE -> XYSeriesRenderStyle.Line;
      case STEPS -> XYSeriesRenderStyle.Step;
      case AREA -> XYSeriesRenderStyle.Area;
      case STEP_AREA -> XYSeriesRenderStyle.StepArea;
    };
  }

  private LineChart style(Consumer<XYStyler> setting) {
    return set(chart -> setting.accept(chart.getStyler()));
  }

  private LineChart set(Consumer<XYChart> setting) {
    settings.add(setting);
    return this;
  }
}
