package org.schedgpu.bench;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.stream.DoubleStream;
import org.schedgpu.charts.BarChart;
import org.schedgpu.charts.Key;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.Sheet;

/** The paper's Figure 9 as bars: a group for each stage, a bar for each approach. */
final class Figure9Picture {
  private static final int WIDTH = 1400;
  private static final int HEIGHT = 640;
  private static final int LEFT = 84;
  private static final int TOP = 130;
  private static final int FOOT = 44;
  private static final double PAPERS_BOUND_US = 1000;

  private final List<StageTime> times;
  private final List<String> stages;
  private final List<String> approaches;
  private final String where;

  /**
   * A picture of these times.
   *
   * @param where the machine of the measurements
   */
  Figure9Picture(List<StageTime> times, String where) {
    this.times = List.copyOf(times);
    this.where = where;
    stages = StageTime.stages(times);
    approaches = times.stream().map(StageTime::approach).distinct().toList();
  }

  /**
   * Writes figure-9.png and figure-9.svg.
   *
   * @throws BenchException if one cannot be written
   */
  void write(Path folder) {
    try {
      sheet().writePng(folder.resolve("figure-9.png"));
      sheet().writeSvg(folder.resolve("figure-9.svg"));
    } catch (IOException e) {
      throw new BenchException("cannot write the picture into " + folder, e);
    }
  }

  Sheet sheet() {
    List<Key> keys = new ArrayList<>();
    for (int i = 0; i < approaches.size(); i++) {
      keys.add(new Key(Palette.series(i), title(approaches.get(i))));
    }
    keys.add(new Key(null, "bar: p50 in µs, line: p99"));
    return new Sheet(WIDTH, HEIGHT)
        .head(
            "The stages of the life cycle, by approach",
            "After Figure 9 of the schedGPU paper. " + where + "; no GPU involved",
            LEFT)
        .legend(LEFT, 94, WIDTH - 28, keys)
        .chart(chart(), 12, TOP, WIDTH - 24, HEIGHT - TOP - FOOT)
        .text(
            "Logarithmic scale. Each life is that of a fresh process which reserves 1 MiB that"
                + " nobody else wants. The total is the client's own: without the server's stages.",
            LEFT,
            HEIGHT - 20,
            Palette.plain(13),
            Palette.FAINT);
  }

  /**
   * The ends of the axis of times, in microseconds: powers of ten.
   *
   * @param lowest below every time, so that every bar is seen
   * @param highest above every time, and not below the paper's bound
   */
  record Axis(double lowest, double highest) {
    /** The axis of these times; of the paper's bound alone if there are none. */
    static Axis of(List<StageTime> times) {
      DoubleSummaryStatistics all =
          times.stream()
              .flatMapToDouble(t -> DoubleStream.of(t.p50Us(), t.p99Us()))
              .summaryStatistics();
      double least = Math.min(all.getMin(), PAPERS_BOUND_US);
      double below = Math.pow(10, Math.ceil(Math.log10(least)) - 1);
      double above = Math.pow(10, Math.floor(Math.log10(all.getMax())) + 1);
      return new Axis(below, all.getMax() < PAPERS_BOUND_US ? PAPERS_BOUND_US : above);
    }
  }

  private BarChart chart() {
    Axis axis = Axis.of(times);
    BarChart chart =
        new BarChart(
                stages.stream().map(Figure9Picture::name).toList(), axis.lowest(), axis.highest())
            .logarithmic()
            .ticks(Figure9Picture::time)
            .labels(Numbers::shortened)
            .noLegend();
    for (int i = 0; i < approaches.size(); i++) {
      chart.add(bars(approaches.get(i), Palette.series(i)));
    }
    // The legend is where no bar is as high.
    double place = (double) Math.max(0, stages.indexOf("post-free")) / stages.size();
    return chart.bound(PAPERS_BOUND_US, "the paper: less than one millisecond", place + 0.08);
  }

  private BarChart.Bars bars(String approach, Color colour) {
    List<Double> p50 = new ArrayList<>();
    List<Double> p99 = new ArrayList<>();
    for (String stage : stages) {
      StageTime time =
          times.stream()
              .filter(t -> t.approach().equals(approach) && t.stage().equals(stage))
              .findFirst()
              .orElse(null);
      p50.add(time == null ? null : time.p50Us());
      p99.add(time == null ? null : time.p99Us());
    }
    return new BarChart.Bars(title(approach), colour, p50, p99);
  }

  private static String name(String stage) {
    return stage.replace('-', ' ').replace("pre ", "pre-").replace("post ", "post-");
  }

  private static String title(String approach) {
    return switch (approach) {
      case "ours" -> "schedGPU for Slurm";
      case "file-lock" -> "file lock + signal (the paper's)";
      case "mutex-condition" -> "mutex + condition (can be abandoned)";
      case "client-server" -> "client-server, a message for each call (Mode=brokered)";
      case "server-budget" -> "client-server, first of a budget (Mode=brokered)";
      default -> approach;
    };
  }

  /** Of a power of ten in microseconds. */
  static String time(double us) {
    if (us >= 1e6) {
      return Numbers.plain(us / 1e6) + " s";
    }
    return us >= 1e3 ? Numbers.plain(us / 1e3) + " ms" : Numbers.plain(us) + " µs";
  }
}
