package org.schedgpu.papers.common;

import java.awt.image.BufferedImage;
import java.util.List;
import org.schedgpu.charts.RowChart;

/**
 * What each of several jobs did when.
 *
 * @param title above the chart
 * @param xTitle below it, with the unit
 * @param rows from top to bottom
 * @param until where the axis ends; it begins at 0
 */
public record RowsOfBars(String title, String xTitle, List<RowChart.Row> rows, double until)
    implements Drawing {
  public RowsOfBars {
    rows = List.copyOf(rows);
  }

  @Override
  public BufferedImage draw() {
    return Frame.image(title, xTitle, new RowChart(rows, until, "s"), List.of());
  }
}
