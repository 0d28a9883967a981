package org.schedgpu.charts;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import java.util.Locale;

/**
 * Rows of bars over time, as of jobs: one row for each, with a name on the left and a note on the
 * right. XChart has no such chart.
 *
 * @param rows from top to bottom
 * @param until where the axis ends; it begins at 0
 * @param unit of the axis, as {@code s}
 */
public record RowChart(List<Row> rows, double until, String unit) implements Chart {
  private static final int LABELS = 98;
  private static final int NOTES = 64;
  private static final int AXIS_HEIGHT = 24;
  private static final int AXIS_BASELINE = 17;
  private static final double BAR_SHARE = 0.76;
  private static final double SHORTEST = 0.8;
  private static final double CROSS = 4.5;

  /**
   * A row.
   *
   * @param name on the left
   * @param note on the right
   * @param bars in the order in which they are drawn
   * @param crossAt where a cross marks a sudden end, and makes the note red; null for none
   */
  public record Row(String name, String note, List<Bar> bars, Double crossAt) {}

  /** A bar of a row, in the axis' unit. */
  public record Bar(double from, double to, Color colour) {}

  @Override
  public void paint(Graphics2D graphics, int width, int height) {
    new Painting(this, graphics, width - LABELS - NOTES, height - AXIS_HEIGHT).paint();
  }

  /** The step between ticks, of 1, 2 or 5 times a power of ten: that which XChart takes. */
  static double step(double hint) {
    double power = Math.pow(10, Math.floor(Math.log10(hint)));
    double digits = hint / power;
    return power * (digits > 7.5 ? 10 : digits > 3.5 ? 5 : digits > 1.5 ? 2 : 1);
  }

  private record Painting(RowChart chart, Graphics2D graphics, double width, double height) {
    void paint() {
      axis();
      double rowHeight = height / Math.max(1, chart.rows.size());
      for (int i = 0; i < chart.rows.size(); i++) {
        row(chart.rows.get(i), i * rowHeight, rowHeight);
      }
    }

    private double x(double at) {
      return LABELS + width * at / chart.until;
    }

    private void axis() {
      graphics.setFont(Palette.plain(12));
      graphics.setStroke(new BasicStroke(1));
      double step = step(chart.until / width * Style.TICK_DISTANCE);
      for (double at = 0; at <= chart.until; at += step) {
        graphics.setColor(Palette.GRID);
        graphics.draw(new Line2D.Double(x(at), 0, x(at), height));
        graphics.setColor(Palette.FAINT);
        String text = String.format(Locale.ROOT, "%,.0f", at) + (at == 0 ? " " + chart.unit : "");
        int half = graphics.getFontMetrics().stringWidth(text) / 2;
        graphics.drawString(text, (float) x(at) - half, (float) height + AXIS_BASELINE);
      }
    }

    private void row(Row row, double top, double rowHeight) {
      row.bars().forEach(bar -> bar(bar, top, rowHeight));
      double middle = top + rowHeight / 2;
      if (row.crossAt() != null) {
        cross(x(row.crossAt()), middle);
      }
      graphics.setFont(Palette.plain(12));
      graphics.setColor(Palette.TEXT);
      graphics.drawString(row.name(), 4, (float) middle + 4);
      graphics.setColor(row.crossAt() == null ? Palette.TEXT : Palette.RED);
      int noteWidth = graphics.getFontMetrics().stringWidth(row.note());
      double right = LABELS + width + NOTES - 6;
      graphics.drawString(row.note(), (float) right - noteWidth, (float) middle + 4);
    }

    private void bar(Bar bar, double top, double rowHeight) {
      double length = x(bar.to()) - x(bar.from());
      if (length >= SHORTEST) {
        double inset = rowHeight * (1 - BAR_SHARE) / 2;
        graphics.setColor(bar.colour());
        graphics.fill(
            new Rectangle2D.Double(x(bar.from()), top + inset, length, rowHeight * BAR_SHARE));
      }
    }

    private void cross(double x, double y) {
      graphics.setColor(Palette.RED);
      graphics.setStroke(new BasicStroke(2.4f));
      graphics.draw(new Line2D.Double(x - CROSS, y - CROSS, x + CROSS, y + CROSS));
      graphics.draw(new Line2D.Double(x - CROSS, y + CROSS, x + CROSS, y - CROSS));
    }
  }
}
