package org.schedgpu.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.schedgpu.charts.LineChart;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.Series;
import org.schedgpu.charts.Sheet;

/** The agent's memory over the time of a load run, from the run's samples. */
public final class MemoryCurve {
  private static final int WIDTH = 1120;
  private static final int HEIGHT = 480;
  private static final int LEFT = 76;
  private static final int TOP = 76;
  private static final double MAX_MIB = 100;
  private static final double LIMIT_MIB = 80;

  /**
   * One sample.
   *
   * @param seconds since the start
   * @param mib resident
   */
  record Point(double seconds, double mib) {}

  private final List<Point> points;

  MemoryCurve(List<Point> points) {
    this.points = List.copyOf(points);
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
      new MemoryCurve(points).sheet().writePng(folder.resolve("memory.png"));
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("bench: no picture of " + folder + ": " + e.getMessage());
      System.exit(1);
    }
  }

  /** The first two columns, without the header line. */
  static List<Point> parse(List<String> lines) {
    return lines.stream()
        .skip(1)
        .map(line -> line.split(",", 3))
        .map(fields -> new Point(Double.parseDouble(fields[0]), Double.parseDouble(fields[1])))
        .toList();
  }

  Sheet sheet() {
    double end = points.stream().mapToDouble(Point::seconds).max().orElse(1);
    double unit = end < 120 ? 1 : 60;
    String unitName = end < 120 ? "s" : "min";
    List<Double> at = points.stream().map(point -> point.seconds() / unit).toList();
    List<Double> mib = points.stream().map(Point::mib).toList();
    LineChart chart =
        new LineChart()
            .x(0, end / unit)
            .y(0, MAX_MIB)
            .xLabels(value -> String.format(Locale.ROOT, "%.0f %s", value, unitName))
            .yLabels(value -> String.format(Locale.ROOT, "%.0f MiB", value))
            .noLegend()
            .add(Series.line("resident", at, mib, Palette.series(0)))
            .bound(LIMIT_MIB, "limit", 1);
    return new Sheet(WIDTH, HEIGHT)
        .head(
            "Resident memory of schedgpu agent on a full node",
            "16 emulated devices, 1,024 processes of which 256 wait",
            LEFT)
        .chart(chart, 12, TOP, WIDTH - 24, HEIGHT - TOP - 12);
  }
}
