package org.schedgpu.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Line2D;
import java.awt.image.BufferedImage;
import java.util.function.Consumer;

/**
 * What every picture of the bench is painted on: a title, lines across with what they stand for at
 * the left, and a bound. All numbers are pixels.
 */
record Canvas(int width, int height) {
  static final int LEFT = 84;

  private static final int RIGHT_MARGIN = 28;

  /** Where the lines across end. */
  int right() {
    return width - RIGHT_MARGIN;
  }

  /** Between both ends of the lines across. */
  int innerWidth() {
    return right() - LEFT;
  }

  BufferedImage image(Consumer<Graphics2D> painter) {
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    painter.accept(graphics);
    graphics.dispose();
    return image;
  }

  /** White, with both lines of the head. */
  void head(Graphics2D graphics, String title, String subtitle) {
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, width, height);
    graphics.setColor(Palette.TEXT);
    graphics.setFont(Palette.bold(22));
    graphics.drawString(title, LEFT, 38);
    graphics.setFont(Palette.plain(14));
    graphics.setColor(Palette.FAINT_TEXT);
    graphics.drawString(subtitle, LEFT, 62);
  }

  /** A line of the grid, with its text beside it. */
  void gridLine(Graphics2D graphics, double y, String text) {
    graphics.setFont(Palette.plain(13));
    graphics.setStroke(new BasicStroke(1));
    graphics.setColor(Palette.GRID);
    graphics.draw(new Line2D.Double(LEFT, y, right(), y));
    graphics.setColor(Palette.FAINT_TEXT);
    int textWidth = graphics.getFontMetrics().stringWidth(text);
    graphics.drawString(text, LEFT - 10 - textWidth, (float) y + 5);
  }

  /** A dashed line, with its text above it. */
  void bound(Graphics2D graphics, double y, String text, float textX) {
    graphics.setColor(Palette.BOUND);
    graphics.setStroke(
        new BasicStroke(
            1.4f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, new float[] {7, 5}, 0));
    graphics.draw(new Line2D.Double(LEFT, y, right(), y));
    graphics.drawString(text, textX, (float) y - 7);
  }

  /** A text in the middle of which is x. */
  static void centred(Graphics2D graphics, String text, double x, float y) {
    int textWidth = graphics.getFontMetrics().stringWidth(text);
    graphics.drawString(text, (float) x - textWidth / 2f, y);
  }
}
