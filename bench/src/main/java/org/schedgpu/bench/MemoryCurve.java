package org.schedgpu.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;

/** The agent's memory over the time of a load run, from the samples that the run wrote. */
public final class MemoryCurve {
  private static final int WIDTH = 1120;
  private static final int HEIGHT = 480;
  private static final int LEFT = 84;
  private static final int RIGHT = 28;
  private static final int TOP = 84;
  private static final int BOTTOM = HEIGHT - 60;
  private static final double MOST_MIB = 100;
  private static final double LIMIT_MIB = 80;
  private static final int TICK_MIB = 20;
  private static final int TIME_TICKS = 6;

  /**
   * One look.
   *
   * @param seconds since the start
   * @param mib resident
   */
  record Point(double seconds, double mib) {}

  private final List<Point> points;
  private final double seconds;

  MemoryCurve(List<Point> points) {
    this.points = List.copyOf(points);
    seconds = points.stream().mapToDouble(Point::seconds).max().orElse(1);
  }

  /**
   * Reads samples.csv of a folder and writes memory.png beside it.
   *
   * @param arguments the folder
   */
  public static void main(String[] arguments) {
    if (arguments.length != 1) {
      System.err.println("usage: MemoryCurve FOLDER");
      System.exit(2);
    }
    Path folder = Path.of(arguments[0]);
    try {
      List<Point> points = parse(Files.readAllLines(folder.resolve("samples.csv")));
      ImageIO.write(new MemoryCurve(points).image(), "png", folder.resolve("memory.png").toFile());
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("bench: no picture of " + folder + ": " + e.getMessage());
      System.exit(1);
    }
  }

  /** The first two columns; the line with their names is left out. */
  static List<Point> parse(List<String> lines) {
    return lines.stream()
        .skip(1)
        .map(line -> line.split(",", 3))
        .map(fields -> new Point(Double.parseDouble(fields[0]), Double.parseDouble(fields[1])))
        .toList();
  }

  BufferedImage image() {
    BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, WIDTH, HEIGHT);
    paintHead(graphics);
    paintMemoryAxis(graphics);
    paintTimeAxis(graphics);
    paintCurve(graphics);
    graphics.dispose();
    return image;
  }

  double x(double atSeconds) {
    return LEFT + (WIDTH - LEFT - RIGHT) * atSeconds / seconds;
  }

  double y(double mib) {
    return BOTTOM - (BOTTOM - TOP) * Math.min(mib, MOST_MIB) / MOST_MIB;
  }

  private static void paintHead(Graphics2D graphics) {
    graphics.setColor(Palette.TEXT);
    graphics.setFont(Palette.bold(22));
    graphics.drawString("Resident memory of schedgpu agent on a full node", LEFT, 38);
    graphics.setFont(Palette.plain(14));
    graphics.setColor(Palette.FAINT_TEXT);
    graphics.drawString("16 emulated devices, 1,024 processes of which 256 wait", LEFT, 62);
  }

  private void paintMemoryAxis(Graphics2D graphics) {
    graphics.setFont(Palette.plain(13));
    graphics.setStroke(new BasicStroke(1));
    for (int mib = 0; mib <= MOST_MIB; mib += TICK_MIB) {
      graphics.setColor(Palette.GRID);
      graphics.draw(new Line2D.Double(LEFT, y(mib), WIDTH - RIGHT, y(mib)));
      graphics.setColor(Palette.FAINT_TEXT);
      String text = mib + " MiB";
      int width = graphics.getFontMetrics().stringWidth(text);
      graphics.drawString(text, LEFT - 10 - width, (float) y(mib) + 5);
    }
    graphics.setColor(Palette.BOUND);
    graphics.setStroke(
        new BasicStroke(
            1.4f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, new float[] {7, 5}, 0));
    graphics.draw(new Line2D.Double(LEFT, y(LIMIT_MIB), WIDTH - RIGHT, y(LIMIT_MIB)));
    graphics.drawString("limit", WIDTH - RIGHT - 34, (float) y(LIMIT_MIB) - 7);
  }

  private void paintTimeAxis(Graphics2D graphics) {
    graphics.setColor(Palette.FAINT_TEXT);
    for (int i = 0; i <= TIME_TICKS; i++) {
      double at = seconds * i / TIME_TICKS;
      String text =
          seconds < 120
              ? String.format(Locale.ROOT, "%.0f s", at)
              : String.format(Locale.ROOT, "%.1f min", at / 60);
      int width = graphics.getFontMetrics().stringWidth(text);
      graphics.drawString(text, (float) x(at) - width / 2f, BOTTOM + 24);
    }
  }

  private void paintCurve(Graphics2D graphics) {
    Path2D curve = new Path2D.Double();
    for (Point point : points) {
      if (curve.getCurrentPoint() == null) {
        curve.moveTo(x(point.seconds()), y(point.mib()));
      } else {
        curve.lineTo(x(point.seconds()), y(point.mib()));
      }
    }
    graphics.setColor(Palette.bar(0));
    graphics.setStroke(new BasicStroke(2, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
    graphics.draw(curve);
  }
}
