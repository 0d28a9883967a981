package org.schedgpu.charts;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import java.util.function.DoubleFunction;
import org.knowm.xchart.internal.chartpart.Annotation;

/**
 * What is drawn around and above bars: a gap between neighbours, the whisker, the value. XChart
 * draws whiskers up and down by the same length only, and wrongly on a logarithmic axis.
 */
final class BarEnds extends Annotation {
  private static final int CAP = 5;
  private static final int ABOVE = 6;

  private final List<BarChart.Bars> all;
  private final int beside;
  private final double groupShare;
  private final double foot;
  private final DoubleFunction<String> label;

  /**
   * @param beside how many bars of a category stand beside each other
   */
  BarEnds(
      List<BarChart.Bars> all,
      int beside,
      double groupShare,
      double foot,
      DoubleFunction<String> label) {
    super(false);
    this.all = all;
    this.beside = beside;
    this.groupShare = groupShare;
    this.foot = foot;
    this.label = label;
  }

  @Override
  public void paint(Graphics2D graphics) {
    for (int series = 0; series < all.size(); series++) {
      BarChart.Bars bars = all.get(series);
      for (int category = 0; category < bars.values().size(); category++) {
        if (bars.values().get(category) != null) {
          paint(graphics, series, category);
        }
      }
    }
  }

  private void paint(Graphics2D graphics, int series, int category) {
    BarChart.Bars bars = all.get(series);
    double value = bars.values().get(category);
    Rectangle2D bar = bar(series, category, bars.values().size(), value);
    graphics.setColor(Color.WHITE);
    graphics.setStroke(new BasicStroke(2));
    graphics.draw(new Line2D.Double(bar.getX(), bar.getY(), bar.getX(), bar.getMaxY()));
    graphics.draw(new Line2D.Double(bar.getMaxX(), bar.getY(), bar.getMaxX(), bar.getMaxY()));
    double top = bar.getY();
    if (bars.to() != null && bars.to().get(category) != null) {
      top = whisker(graphics, bar.getCenterX(), bars.from().get(category), bars.to().get(category));
    }
    label(graphics, label.apply(value), bar.getCenterX(), top - ABOVE);
  }

  /** Returns where it ends. */
  private double whisker(Graphics2D graphics, double middle, double from, double to) {
    double top = getYAxisScreenValue(to);
    graphics.setColor(Palette.FAINT);
    graphics.setStroke(new BasicStroke(0.8f));
    graphics.draw(new Line2D.Double(middle, getYAxisScreenValue(from), middle, top));
    graphics.draw(new Line2D.Double(middle - CAP, top, middle + CAP, top));
    return top;
  }

  /** Where XChart draws a bar. */
  private Rectangle2D bar(int series, int category, int categories, double value) {
    double left = getXAxisScreenValueForMin();
    double group = (getXAxisScreenValueForMax() - left) / categories;
    double width = group * groupShare / beside;
    double x = left + group * (category + (1 - groupShare) / 2) + width * (series % beside);
    double y = getYAxisScreenValue(value);
    double end = getYAxisScreenValue(foot);
    return new Rectangle2D.Double(x, Math.min(y, end), width, Math.abs(end - y));
  }

  private static void label(Graphics2D graphics, String text, double middle, double y) {
    if (text.isEmpty()) {
      return;
    }
    graphics.setFont(Palette.plain(12));
    int width = graphics.getFontMetrics().stringWidth(text);
    double x = middle - width / 2.0;
    graphics.setColor(Color.WHITE); // above lines of the grid
    graphics.fill(new Rectangle2D.Double(x, y - 11, width, 13));
    graphics.setColor(Palette.TEXT);
    graphics.drawString(text, (float) x, (float) y);
  }
}
