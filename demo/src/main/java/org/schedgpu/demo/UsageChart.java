package org.schedgpu.demo;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Memory and utilisation of the device over the time of a run. */
final class UsageChart {
  private static final int LABELS = 52;
  private static final int RIGHT = 14;
  private static final int TICK_PERCENT = 25;
  private static final int AREA_ALPHA = 90;

  private final List<RunResult.Point> points;
  private final TimeAxis axis;
  private final int width;

  /**
   * The chart of a run.
   *
   * @param seconds length of the time axis
   */
  UsageChart(RunResult run, int width, int height, double seconds) {
    points = run.points();
    this.width = width;
    axis = new TimeAxis(LABELS, width - LABELS - RIGHT, height - TimeAxis.LABELS_HEIGHT, seconds);
  }

  void paint(Graphics2D graphics) {
    paintPercents(graphics);
    axis.paint(graphics);
    if (points.isEmpty()) {
      return;
    }
    paintMemory(graphics);
    graphics.setColor(Palette.UTILISATION);
    graphics.setStroke(new BasicStroke(1.6f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
    graphics.draw(line(RunResult.Point::utilisationPercent));
  }

  private void paintPercents(Graphics2D graphics) {
    graphics.setFont(Palette.plain(12));
    graphics.setStroke(new BasicStroke(1));
    for (int percent = 0; percent <= 100; percent += TICK_PERCENT) {
      graphics.setColor(Palette.GRID);
      graphics.draw(new Line2D.Double(LABELS, y(percent), width - RIGHT, y(percent)));
      graphics.setColor(Palette.FAINT_TEXT);
      String text = percent + " %";
      int textWidth = graphics.getFontMetrics().stringWidth(text);
      graphics.drawString(text, LABELS - 8 - textWidth, (float) y(percent) + 4);
    }
  }

  private void paintMemory(Graphics2D graphics) {
    Path2D steps = steps();
    Path2D area = new Path2D.Double(steps);
    area.lineTo(axis.x(points.get(points.size() - 1).seconds()), y(0));
    area.lineTo(axis.x(points.get(0).seconds()), y(0));
    area.closePath();
    Color blue = Palette.MEMORY;
    graphics.setColor(new Color(blue.getRed(), blue.getGreen(), blue.getBlue(), AREA_ALPHA));
    graphics.fill(area);
    graphics.setColor(blue);
    graphics.setStroke(new BasicStroke(1.2f));
    graphics.draw(steps);
  }

  /** Memory changes at once and stays until the next change. */
  private Path2D steps() {
    Path2D path = new Path2D.Double();
    double before = points.get(0).memoryPercent();
    path.moveTo(axis.x(points.get(0).seconds()), y(before));
    for (RunResult.Point point : points) {
      if (point.memoryPercent() != before) {
        path.lineTo(axis.x(point.seconds()), y(before));
        path.lineTo(axis.x(point.seconds()), y(point.memoryPercent()));
        before = point.memoryPercent();
      }
    }
    path.lineTo(axis.x(points.get(points.size() - 1).seconds()), y(before));
    return path;
  }

  private Path2D line(ToDoubleFunction<RunResult.Point> percent) {
    Path2D path = new Path2D.Double();
    path.moveTo(axis.x(points.get(0).seconds()), y(percent.applyAsDouble(points.get(0))));
    points.forEach(point -> path.lineTo(axis.x(point.seconds()), y(percent.applyAsDouble(point))));
    return path;
  }

  private double y(double percent) {
    return axis.height() * (1 - percent / 100);
  }
}
