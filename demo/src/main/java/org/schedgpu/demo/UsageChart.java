package org.schedgpu.demo;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Memory and utilisation of the device over the time of a run. */
final class UsageChart {
  private static final int AREA_ALPHA = 90;

  private final XYChart chart;

  /**
   * The chart of a run.
   *
   * @param seconds length of the time axis
   */
  UsageChart(RunResult run, int width, int height, double seconds) {
    chart = new XYChartBuilder().width(width).height(height).yAxisTitle("% of the GPU").build();
    style(chart.getStyler(), seconds);
    List<Double> times = run.points().stream().map(RunResult.Point::seconds).toList();
    if (times.isEmpty()) {
      return;
    }
    XYSeries memory =
        chart.addSeries(
            "memory", times, run.points().stream().map(RunResult.Point::memoryPercent).toList());
    memory.setXYSeriesRenderStyle(XYSeriesRenderStyle.StepArea);
    Color blue = Palette.MEMORY;
    memory.setFillColor(new Color(blue.getRed(), blue.getGreen(), blue.getBlue(), AREA_ALPHA));
    draw(memory, blue, 1f);
    XYSeries busy =
        chart.addSeries(
            "utilisation",
            times,
            run.points().stream().map(RunResult.Point::utilisationPercent).toList());
    busy.setXYSeriesRenderStyle(XYSeriesRenderStyle.Line);
    draw(busy, Palette.UTILISATION, 1.3f);
  }

  private static void draw(XYSeries series, Color colour, float width) {
    series.setMarker(SeriesMarkers.NONE);
    series.setLineColor(colour);
    series.setLineStyle(new BasicStroke(width));
  }

  private static void style(XYStyler styler, double seconds) {
    styler.setLegendVisible(false);
    styler.setChartTitleVisible(false);
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setPlotBorderVisible(false);
    styler.setPlotGridLinesColor(Palette.GRID);
    styler.setPlotContentSize(1);
    styler.setChartPadding(2);
    styler.setChartFontColor(Palette.TEXT);
    styler.setAxisTickLabelsFont(Palette.plain(11));
    styler.setAxisTitleFont(Palette.plain(12));
    styler.setAxisTickLabelsColor(Palette.FAINT_TEXT);
    styler.setXAxisMin(0.0);
    styler.setXAxisMax(seconds);
    styler.setYAxisMin(0.0);
    styler.setYAxisMax(100.0);
    styler.setXAxisDecimalPattern("#,##0");
    styler.setYAxisDecimalPattern("0");
    styler.setXAxisTickMarkSpacingHint(90);
    styler.setYAxisTickMarkSpacingHint(36);
  }

  void paint(Graphics2D graphics) {
    chart.paint(graphics, chart.getWidth(), chart.getHeight());
  }
}
