package org.schedgpu.demo;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.util.Locale;

/**
 * The horizontal axis of a chart, with 0 at {@code left}.
 *
 * @param left where time 0 is, in pixels
 * @param width pixels for all of the time
 * @param height of the plot above the axis, in pixels
 * @param seconds all of the time
 */
record TimeAxis(double left, double width, double height, double seconds) {
  /** Pixels that the labels need below the plot. */
  static final int LABELS_HEIGHT = 24;

  private static final int BASELINE = 17;

  /** Where a time is, in pixels. */
  double x(double at) {
    return left + width * at / seconds;
  }

  /** Grid lines and labels. */
  void paint(Graphics2D graphics) {
    graphics.setFont(Palette.plain(12));
    graphics.setStroke(new BasicStroke(1));
    double step = tickSeconds(seconds);
    for (double at = 0; at <= seconds; at += step) {
      graphics.setColor(Palette.GRID);
      graphics.draw(new Line2D.Double(x(at), 0, x(at), height));
      graphics.setColor(Palette.FAINT_TEXT);
      String text = String.format(Locale.ROOT, at == 0 ? "%,.0f s" : "%,.0f", at);
      int half = graphics.getFontMetrics().stringWidth(text) / 2;
      graphics.drawString(text, (float) x(at) - half, (float) height + BASELINE);
    }
  }

  /** A round step (1, 2 or 5 times a power of ten) that gives five to thirteen ticks. */
  static double tickSeconds(double seconds) {
    double power = Math.pow(10, Math.floor(Math.log10(seconds / 5)));
    if (seconds / (power * 5) >= 5) {
      return power * 5;
    }
    return seconds / (power * 2) >= 5 ? power * 2 : power;
  }
}
