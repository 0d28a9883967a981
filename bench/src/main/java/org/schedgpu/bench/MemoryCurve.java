package org.schedgpu.bench;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
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
  private static final Canvas CANVAS = new Canvas(1120, 480);
  private static final int TOP = 84;
  private static final int BOTTOM = CANVAS.height() - 60;
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
    return CANVAS.image(this::paint);
  }

  private void paint(Graphics2D graphics) {
    CANVAS.head(
        graphics,
        "Resident memory of schedgpu agent on a full node",
        "16 emulated devices, 1,024 processes of which 256 wait");
    paintMemoryAxis(graphics);
    paintTimeAxis(graphics);
    paintCurve(graphics);
  }

  double x(double atSeconds) {
    return Canvas.LEFT + CANVAS.innerWidth() * atSeconds / seconds;
  }

  double y(double mib) {
    return BOTTOM - (BOTTOM - TOP) * Math.min(mib, MOST_MIB) / MOST_MIB;
  }

  private void paintMemoryAxis(Graphics2D graphics) {
    for (int mib = 0; mib <= MOST_MIB; mib += TICK_MIB) {
      CANVAS.gridLine(graphics, y(mib), mib + " MiB");
    }
    CANVAS.bound(graphics, y(LIMIT_MIB), "limit", CANVAS.right() - 34);
  }

  private void paintTimeAxis(Graphics2D graphics) {
    graphics.setColor(Palette.FAINT_TEXT);
    for (int i = 0; i <= TIME_TICKS; i++) {
      double at = seconds * i / TIME_TICKS;
      String text =
          seconds < 120
              ? String.format(Locale.ROOT, "%.0f s", at)
              : String.format(Locale.ROOT, "%.1f min", at / 60);
      Canvas.centred(graphics, text, x(at), BOTTOM + 24);
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
