package org.schedgpu.papers.common;

import java.awt.image.BufferedImage;
import java.util.Arrays;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;

/** Bars beside each other over named places. */
public final class Bars implements Drawing {
  private static final int MANY = 12;

  private final CategoryChart chart;
  private final List<String> places;
  private int count;

  /** The titles of the picture and of its axes, with units, and the names below the bars. */
  public Bars(String title, String xTitle, String yTitle, List<String> places) {
    this.places = List.copyOf(places);
    chart =
        new CategoryChartBuilder()
            .width(900)
            .height(420)
            .title(title)
            .xAxisTitle(xTitle)
            .yAxisTitle(yTitle)
            .build();
    Look.of(chart.getStyler());
    chart.getStyler().setAvailableSpaceFill(0.8);
    chart.getStyler().setXAxisMaxLabelCount(Math.max(2, places.size()));
    if (places.size() > MANY) {
      chart.getStyler().setXAxisLabelRotation(45);
    }
  }

  /** A bar for each place. */
  public Bars series(String name, double... values) {
    CategorySeries series = chart.addSeries(name, places, Arrays.stream(values).boxed().toList());
    series.setFillColor(Style.SERIES.get(count++ % Style.SERIES.size()));
    return this;
  }

  @Override
  public BufferedImage draw() {
    return BitmapEncoder.getBufferedImage(chart);
  }
}
