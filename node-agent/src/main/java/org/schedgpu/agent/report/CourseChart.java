package org.schedgpu.agent.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TimeZone;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Courses over the window, one below the other with the same scale of time. */
final class CourseChart {
  private static final int AXIS_WIDTH = 56;
  private static final int FONT_SIZE = 12;
  private static final long DAY_NS = 86_400_000_000_000L;
  private static final double NS_PER_MS = 1e6;

  private final XYChart chart;
  private final List<Date> times;

  CourseChart(
      ReportData data, List<Long> timeMs, String unit, int width, int height, Double largest) {
    chart = new XYChart(width, height);
    times = timeMs.stream().map(Date::new).toList();
    chart.setYAxisTitle(unit);
    style(data);
    if (largest != null) {
      chart.getStyler().setYAxisMax(largest);
    }
  }

  private void style(ReportData data) {
    Window window = data.window();
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setXAxisMin(window.fromNs() / NS_PER_MS);
    chart.getStyler().setXAxisMax(window.untilNs() / NS_PER_MS);
    chart.getStyler().setDatePattern(window.lengthNs() > 2 * DAY_NS ? "d MMM" : "HH:mm");
    chart.getStyler().setTimezone(TimeZone.getTimeZone(data.timeZone()));
    chart.getStyler().setLocale(Locale.ENGLISH);
    chart.getStyler().setYAxisDecimalPattern("#,##0.#");
    chart.getStyler().setXAxisTickMarkSpacingHint(120);
    chart.getStyler().setYAxisTickMarkSpacingHint(30);
    chart.getStyler().setPlotGridLinesColor(Colours.LINE);
    chart.getStyler().setPlotGridLinesStroke(new BasicStroke(1));
    chart.getStyler().setPlotGridVerticalLinesVisible(false);
    chart.getStyler().setAxisTickLabelsFont(Colours.plain(FONT_SIZE));
    chart.getStyler().setAxisTickLabelsColor(Colours.FAINT);
    chart.getStyler().setAxisTitleFont(Colours.plain(FONT_SIZE));
    chart.getStyler().setXAxisTitleVisible(false);
    chart.getStyler().setAxisTicksLineVisible(false);
    chart.getStyler().setYAxisLeftWidthHint(AXIS_WIDTH);
    chart.getStyler().setPlotMargin(0);
    chart.getStyler().setPlotContentSize(1);
    chart.getStyler().setPlotBorderVisible(false);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setChartPadding(6);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
    chart.getStyler().setLegendBorderColor(Color.WHITE);
    chart.getStyler().setLegendFont(Colours.plain(FONT_SIZE));
    chart.getStyler().setLegendPadding(4);
  }

  /** A filled course, in this unit. */
  CourseChart area(String name, List<Long> values, double unit, Color colour) {
    XYSeries series = add(name, values, unit, colour);
    if (series != null) {
      series.setXYSeriesRenderStyle(XYSeriesRenderStyle.StepArea);
      series.setFillColor(Colours.faded(colour, 0x99));
    }
    return this;
  }

  /** A course as a line. */
  CourseChart line(String name, List<Long> values, double unit, Color colour, boolean dashed) {
    XYSeries series = add(name, values, unit, colour);
    if (series != null && dashed) {
      float[] dash = {6, 4};
      series.setLineStyle(
          new BasicStroke(1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL, 10, dash, 0));
    }
    return this;
  }

  /** A course of percentages, by the scale on the right. */
  CourseChart percent(String name, List<Long> values, Color colour) {
    XYSeries series = add(name, values, 1, colour);
    if (series != null) {
      series.setYAxisGroup(1);
      chart.setYAxisGroupTitle(1, "%");
      chart.getStyler().setYAxisGroupPosition(1, Styler.YAxisPosition.Right);
      chart.getStyler().setYAxisMin(1, 0.0);
      chart.getStyler().setYAxisMax(1, 100.0);
    }
    return this;
  }

  /** Null if nobody knows any of the values. */
  private XYSeries add(String name, List<Long> values, double unit, Color colour) {
    if (values.stream().noneMatch(Objects::nonNull)) {
      return null;
    }
    List<Double> scaled = new ArrayList<>(values.size());
    values.forEach(value -> scaled.add(value == null ? Double.NaN : value / unit));
    XYSeries series = chart.addSeries(name, times, scaled);
    series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Step);
    series.setMarker(SeriesMarkers.NONE);
    series.setLineColor(colour);
    series.setLineStyle(new BasicStroke(1.6f));
    return series;
  }

  void paint(Graphics2D graphics, int top) {
    Graphics2D part = (Graphics2D) graphics.create();
    part.translate(0, top);
    chart.paint(part, chart.getWidth(), chart.getHeight());
    part.dispose();
  }
}
