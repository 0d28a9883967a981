package org.schedgpu.charts;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import org.knowm.xchart.internal.chartpart.Annotation;

/** A dashed line across a chart, with its text above it. */
final class Bound extends Annotation {
  private static final BasicStroke DASHES =
      new BasicStroke(
          1.4f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, new float[] {7, 5}, 0);
  private static final int ABOVE = 7;

  private final double value;
  private final String text;
  private final double place;

  /**
   * A bound.
   *
   * @param value where, on the left axis
   * @param place where the text is: 0 begins it at the left end, 1 ends it at the right end
   */
  Bound(double value, String text, double place) {
    super(false);
    this.value = value;
    this.text = text;
    this.place = place;
  }

  @Override
  public void paint(Graphics2D graphics) {
    double left = getXAxisScreenValueForMin();
    double right = getXAxisScreenValueForMax();
    double y = getYAxisScreenValue(value);
    graphics.setColor(Palette.RED);
    graphics.setStroke(DASHES);
    graphics.draw(new Line2D.Double(left, y, right, y));
    graphics.setFont(Palette.plain(13));
    double room = right - left - graphics.getFontMetrics().stringWidth(text);
    graphics.drawString(text, (float) (left + place * room), (float) y - ABOVE);
  }
}
