package org.schedgpu.charts;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.font.FontRenderContext;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.imageio.ImageIO;

/**
 * A picture: charts and texts at their places on white. Places are pixels from the upper left
 * corner; that of a text is its baseline. One thread at a time.
 */
public final class Sheet {
  private static final FontRenderContext MEASURE = new FontRenderContext(null, true, false);
  private static final int SWATCH = 22;
  private static final int SWATCH_ROOM = 30;
  private static final int KEY_GAP = 26;
  private static final int LEGEND_ROW = 24;
  private static final Font KEY_FONT = Palette.plain(14);

  private final int width;
  private final int height;
  private final List<Consumer<Graphics2D>> parts = new ArrayList<>();

  /** An empty picture of this size in pixels. */
  public Sheet(int width, int height) {
    this.width = width;
    this.height = height;
    rectangle(0, 0, width, height, Color.WHITE);
  }

  /** How many pixels wide a text is. */
  public static int width(String text, Font font) {
    return (int) Math.ceil(font.getStringBounds(text, MEASURE).getWidth());
  }

  /** Writes a title, and a line that explains it. */
  public Sheet head(String title, String subtitle, int left) {
    text(title, left, 40, Palette.bold(22), Palette.TEXT);
    return text(subtitle, left, 64, Palette.plain(14), Palette.FAINT);
  }

  /** Writes a text. */
  public Sheet text(String text, int x, int y, Font font, Color colour) {
    parts.add(
        graphics -> {
          graphics.setFont(font);
          graphics.setColor(colour);
          graphics.drawString(text, x, y);
        });
    return this;
  }

  /** Fills a rectangle. */
  public Sheet rectangle(int x, int y, int width, int height, Color colour) {
    parts.add(
        graphics -> {
          graphics.setColor(colour);
          graphics.fillRect(x, y, width, height);
        });
    return this;
  }

  /** Writes a legend in as many rows as it needs up to {@code right}; y is that of the first. */
  public Sheet legend(int left, int y, int right, List<Key> keys) {
    int x = left;
    int row = y;
    for (Key key : keys) {
      int swatch = key.colour() == null ? 0 : SWATCH_ROOM;
      int length = swatch + width(key.text(), KEY_FONT);
      if (x > left && x + length > right) {
        x = left;
        row += LEGEND_ROW;
      }
      if (key.colour() != null) {
        rectangle(x, row - 12, SWATCH, 14, key.colour());
      }
      Color colour = key.colour() == null ? Palette.FAINT : Palette.TEXT;
      text(key.text(), x + swatch, row, KEY_FONT, colour);
      x += length + KEY_GAP;
    }
    return this;
  }

  /** Draws a chart into a rectangle. */
  public Sheet chart(Chart chart, int x, int y, int width, int height) {
    parts.add(
        graphics -> {
          Graphics2D part = (Graphics2D) graphics.create();
          part.translate(x, y);
          chart.paint(part, width, height);
          part.dispose();
        });
    return this;
  }

  /** The picture as pixels. */
  public BufferedImage image() {
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    paint(graphics);
    graphics.dispose();
    return image;
  }

  /** The picture as a file in PNG. */
  public byte[] png() throws IOException {
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    ImageIO.write(image(), "png", png);
    return png.toByteArray();
  }

  /** Writes the picture as PNG. */
  public void writePng(Path file) throws IOException {
    Files.write(file, png());
  }

  /** Writes the picture as SVG. Needs VectorGraphics2D on the class path. */
  public void writeSvg(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      Svg.write(this::paint, width, height, out);
    }
  }

  private void paint(Graphics2D graphics) {
    graphics.setStroke(new BasicStroke(1));
    parts.forEach(part -> part.accept(graphics));
  }
}
