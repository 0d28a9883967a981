package org.schedgpu.papers.paper004;

import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.schedgpu.charts.Palette;
import org.schedgpu.charts.RowChart;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.RowsOfBars;
import org.schedgpu.papers.common.Table;

/** Figure 9: shorter jobs come while a long one runs. */
final class Preemption {
  private static final double S = 1e9;
  private static final long PAUSE_NS = 1_000_000_000L;

  /** Workload, arrival and length in seconds: the order of arrivals and lengths is the paper's. */
  record Planned(String workload, int arriveS, int lengthS) {
    int iterations() {
      Workload of = Workload.named(workload);
      return (int) (lengthS * S / (of.cpuNs() + of.gpuNs()));
    }

    private LaneJob job() {
      return Workload.named(workload).job((long) (arriveS * S), iterations());
    }
  }

  /** The paper's order of ends. */
  static final String ORDER = "#1, #3, #2, #5, #4, #0";

  static final List<Planned> PLAN =
      List.of(
          new Planned("resnet152 75", 0, 300),
          new Planned("resnet50 50", 60, 60),
          new Planned("googlenet 100", 80, 70),
          new Planned("alexnet 100", 95, 30),
          new Planned("vgg16 50", 260, 80),
          new Planned("resnet50 25", 290, 30));

  private final LaneOutcome outcome =
      LaneSimulation.play(
          PLAN.stream().map(Planned::job).toList(),
          LaneSettings.of(Workload.DEVICE_BYTES, LanePolicy.SRTF).withLanes(1));

  /** The jobs in the order in which they ended. */
  String order() {
    return order(job -> outcome.jobs().get(job).lastNs());
  }

  /** The same by any ends. */
  static String order(IntToDoubleFunction endOf) {
    return IntStream.range(0, PLAN.size())
        .boxed()
        .sorted(Comparator.comparingDouble(endOf::applyAsDouble))
        .map(job -> "#" + job)
        .collect(Collectors.joining(", "));
  }

  /** From the arrival of a job that takes over to its first iteration. */
  double takesOverMs(int job) {
    return outcome.jobs().get(job).queuedNs() / 1e6;
  }

  Part part() {
    List<Row> rows =
        List.of(
            Row.ofShape(
                "Figure 9a, order of ends",
                ORDER,
                order(),
                ORDER.equals(order()),
                "The shortest remaining time; #0 runs only if no other job is there."),
            Row.ofShape(
                "Figure 9a, #1 takes over from #0 after (ms)",
                "at once",
                Numbers.plain(takesOverMs(1), 0),
                takesOverMs(1) <= Workload.named("resnet152 75").iterationMs(),
                "At the end of an iteration of #0, which takes 784 ms."),
            Row.ofShape(
                "Figure 9a, #5 takes over from #4 after (ms)",
                "at once",
                Numbers.plain(takesOverMs(5), 0),
                takesOverMs(5) <= Workload.named("vgg16 50").iterationMs(),
                "At the end of an iteration of #4, which takes 353 ms."));
    return new Part(
        "004",
        "Figure 9: preemption under SRTF",
        List.of(
            "The paper shows a slice of its trace with normalized times. Six jobs stand in, whose"
                + " arrivals and lengths have the order that the paper tells."),
        List.of(Table.comparison("Six jobs in one lane", rows)),
        List.of(
            new Picture(
                "salus-figure-9.png",
                "Figure 9a: shorter jobs take over from a long one under SRTF (simulated)",
                this::picture)),
        List.of(rows.get(1)));
  }

  private BufferedImage picture() {
    List<RowChart.Row> rows = new ArrayList<>();
    for (int job = 0; job < PLAN.size(); job++) {
      int number = job;
      rows.add(
          new RowChart.Row(
              "#%d %s".formatted(job, PLAN.get(job).workload().replaceAll(" .*", "")),
              "%,.0f s".formatted(outcome.jobs().get(job).completionNs() / S),
              outcome.spans(PAUSE_NS).stream()
                  .filter(span -> span.job() == number)
                  .map(span -> new RowChart.Bar(span.fromNs() / S, span.toNs() / S, Palette.BLUE))
                  .toList(),
              null));
    }
    return new RowsOfBars(
            "Figure 9a: shorter jobs take over from a long one (SRTF, simulated)",
            "seconds; on the right from arrival to end",
            rows,
            outcome.makespanNs() / S)
        .draw();
  }
}
