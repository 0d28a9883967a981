package org.schedgpu.simulator.answer;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Bars, and marks above them, for each configuration. All that is known of XChart is here. */
final class BarChart {
  private static final int FONT_SIZE = 12;
  private static final int MARK_SIZE = 9;
  private static final int MANY = 8;

  private final CategoryChart chart;
  private final List<String> names;

  BarChart(String title, String unit, List<String> names, int width, int height) {
    this.names = names;
    chart = new CategoryChart(width, height);
    chart.setTitle(title);
    chart.setYAxisTitle(unit);
    style();
  }

  private void style() {
    Font font = new Font(Font.SANS_SERIF, Font.PLAIN, FONT_SIZE);
    chart.getStyler().setLocale(Locale.ENGLISH);
    chart.getStyler().setChartTitleFont(font.deriveFont(Font.BOLD, FONT_SIZE + 3f));
    chart.getStyler().setAxisTitleFont(font);
    chart.getStyler().setAxisTickLabelsFont(font);
    chart.getStyler().setLegendFont(font);
    chart.getStyler().setXAxisTitleVisible(false);
    chart.getStyler().setXAxisLabelRotation(names.size() > MANY ? 45 : 0);
    chart.getStyler().setXAxisMaxLabelCount(names.size());
    chart.getStyler().setYAxisDecimalPattern("#,##0.##");
    chart.getStyler().setPlotGridVerticalLinesVisible(false);
    chart.getStyler().setPlotGridLinesColor(new Color(0xe4, 0xe8, 0xed));
    chart.getStyler().setPlotBorderVisible(false);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
    chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
    chart.getStyler().setLegendBorderColor(Color.WHITE);
    chart.getStyler().setMarkerSize(MARK_SIZE);
    chart.getStyler().setAvailableSpaceFill(0.7);
  }

  /** Series share a position instead of being side by side. */
  BarChart overlapped() {
    chart.getStyler().setOverlapped(true);
    return this;
  }

  BarChart bars(String name, List<Double> values, Color colour) {
    chart.addSeries(name, names, values).setFillColor(colour);
    return this;
  }

  /** Marks; null: none for this configuration. */
  BarChart marks(String name, List<Double> values, Color colour, boolean upwards) {
    if (values.contains(null)) {
      return this;
    }
    CategorySeries series = chart.addSeries(name, names, values);
    series.setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter);
    series.setMarker(upwards ? SeriesMarkers.TRIANGLE_UP : SeriesMarkers.TRIANGLE_DOWN);
    series.setMarkerColor(colour);
    return this;
  }

  void paint(Graphics2D graphics, int top) {
    Graphics2D part = (Graphics2D) graphics.create();
    part.translate(0, top);
    chart.paint(part, chart.getWidth(), chart.getHeight());
    part.dispose();
  }
}
