package org.schedgpu.papers.paper001;

import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.schedgpu.papers.common.Bars;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Spread;
import org.schedgpu.papers.common.Table;

/** The shape of Figure 10: twelve instances of one benchmark in three scenarios. */
final class FigureTen {
  private static final int INSTANCES = 12;
  private static final double ALONE_S = 2;
  private static final int[] PEAK_PERCENT = {5, 10, 15, 20, 30, 45};
  private static final int[] BUSY_PERCENT = {20, 50, 80};

  /** Memory is held for this much longer than kernels run, of the rest of the run. */
  private static final double HELD_OF_REST = 0.5;

  /**
   * A benchmark.
   *
   * @param program the stand-in
   * @param oneByOneS total time of the first scenario
   * @param packedS of the second
   * @param sharedS of the third
   */
  private record Result(UseCase program, double oneByOneS, double packedS, double sharedS) {}

  private final List<Result> results = new ArrayList<>();

  FigureTen() {
    for (int peak : PEAK_PERCENT) {
      for (int busy : BUSY_PERCENT) {
        UseCase program = benchmark(peak, busy);
        results.add(
            new Result(
                program,
                Usage.totalS(Scenarios.oneByOne(program, INSTANCES)),
                Usage.totalS(Scenarios.packed(program, INSTANCES)),
                Usage.totalS(Scenarios.schedGpu(program, INSTANCES))));
      }
    }
  }

  private static UseCase benchmark(int peakPercent, int busyPercent) {
    double held = busyPercent + HELD_OF_REST * (100 - busyPercent);
    String name = String.format(Locale.ROOT, "%d/%d", peakPercent, busyPercent);
    return new UseCase(name, ALONE_S, peakPercent, peakPercent * held / 100, busyPercent, 1);
  }

  Part part() {
    Spread overFirst = Spread.of(results.stream().map(r -> r.oneByOneS() / r.sharedS()).toList());
    Spread overSecond =
        Spread.of(results.stream().map(r -> 100 * (r.sharedS() / r.packedS() - 1)).toList());
    List<Row> rows =
        List.of(
            new Row(
                "speed-up of the third scenario over the first, mean (times)",
                "over 2",
                Numbers.plain(overFirst.mean(), 2),
                overFirst.mean() > 2 ? "same" : "differs",
                String.format(
                    Locale.ROOT,
                    "From %.2f to %.2f: the more of its time a benchmark leaves the GPU idle, the"
                        + " more is gained.",
                    overFirst.least(),
                    overFirst.most())),
            Row.ofPercent(
                "time of the third scenario over the second, mean (%)",
                40,
                overSecond.mean(),
                1,
                "This does not come out: nothing in the model takes time but the programs, and the"
                    + " paper does not say what takes its 40 %."));
    return new Part(
        "001",
        "Figure 10: twelve instances of one benchmark",
        List.of(
            "The figure's values for the 18 Rodinia and Parboil benchmarks are not in the text of"
                + " the paper. 18 invented benchmarks stand in: 2 seconds each, as the paper says on"
                + " average, with 5 to 45 % of the memory, and the GPU busy 20, 50 or 80 % of the"
                + " time. So only the shape can be compared."),
        List.of(Table.comparison("Shape of Figure 10", rows)),
        List.of(
            new Picture(
                "001-figure-10.png",
                "Speed-up over one by one, by memory/busy time in percent of the benchmark",
                this::chart)),
        rows);
  }

  private BufferedImage chart() {
    return new Bars(
            "Figure 10: twelve instances of a benchmark (invented benchmarks)",
            "memory / busy time of the benchmark (%)",
            "speed-up over one by one",
            results.stream().map(result -> result.program().name()).toList())
        .series(
            "packed by hand",
            results.stream().mapToDouble(r -> r.oneByOneS() / r.packedS()).toArray())
        .series(
            "schedGPU", results.stream().mapToDouble(r -> r.oneByOneS() / r.sharedS()).toArray())
        .draw();
  }
}
