package org.schedgpu.papers.common;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.image.BufferedImage;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Lines over a numeric axis. */
public final class Lines implements Drawing {
  private static final float[] DASHES = {6, 4};

  private final XYChart chart;
  private int series;

  /** The titles of the picture and of its axes, with units. */
  public Lines(String title, String xTitle, String yTitle) {
    chart =
        new XYChartBuilder()
            .width(900)
            .height(420)
            .title(title)
            .xAxisTitle(xTitle)
            .yAxisTitle(yTitle)
            .build();
    Look.of(chart.getStyler());
    chart.getStyler().setMarkerSize(6);
    chart.getStyler().setYAxisMin(0.0);
  }

  /** A line through points. */
  public Lines line(String name, double[] x, double[] y) {
    add(name, x, y).setMarker(SeriesMarkers.CIRCLE);
    return this;
  }

  /** A dashed line without marks: a model, a bound. */
  public Lines dashed(String name, double[] x, double[] y) {
    XYSeries series = add(name, x, y);
    series.setMarker(SeriesMarkers.NONE);
    series.setLineStyle(
        new BasicStroke(1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL, 10, DASHES, 0));
    return this;
  }

  /** A course that changes in steps. */
  public Lines steps(String name, double[] x, double[] y) {
    XYSeries series = add(name, x, y);
    series.setMarker(SeriesMarkers.NONE);
    series.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Step);
    return this;
  }

  /** Both axes by powers of ten. */
  public Lines logarithmic() {
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(null);
    return this;
  }

  private XYSeries add(String name, double[] x, double[] y) {
    Color colour = Style.SERIES.get(series++ % Style.SERIES.size());
    XYSeries added = chart.addSeries(name, x, y);
    added.setLineColor(colour);
    added.setMarkerColor(colour);
    added.setLineStyle(new BasicStroke(1.8f));
    return added;
  }

  @Override
  public BufferedImage draw() {
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
    return BitmapEncoder.getBufferedImage(chart);
  }
}
