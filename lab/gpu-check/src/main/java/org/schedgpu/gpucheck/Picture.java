package org.schedgpu.gpucheck;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gpucheck.ConcurrentRuns.End;
import org.schedgpu.gpucheck.ConcurrentRuns.Life;
import org.schedgpu.gpucheck.ConcurrentRuns.RunResults;
import org.schedgpu.gpucheck.ConcurrentRuns.Sample;
import org.schedgpu.gpucheck.Svg.Anchor;

/**
 * The picture of a run: how the trainings shared the device, what schedGPU costs, how memory passes
 * from a killed process to a waiter, and how much sharing slows programs down.
 */
final class Picture {
  private static final double WIDTH = 960;
  private static final double MARGIN = 40;
  private static final double LEFT = 250;
  private static final String INK = "#222222";
  private static final String PALE = "#777777";
  private static final String GRID = "#dddddd";
  private static final String WAITS = "#f2c14e";
  private static final String HOLDS = "#2f7fb8";
  private static final String LOST = "#c0392b";
  private static final String MEMORY = "#27632a";

  private final Svg svg = new Svg();
  private final Run.Result result;
  private double y = 46;

  private Picture(Run.Result result) {
    this.result = result;
  }

  static String of(Run.Result result) {
    return new Picture(result).draw();
  }

  private String draw() {
    Machine machine = result.machine();
    String what = machine.emulated() ? "schedGPU on an EMULATED GPU" : "schedGPU on a real GPU";
    svg.text(MARGIN, y, 22, Anchor.START, machine.emulated() ? LOST : INK, what);
    y += 22;
    svg.text(
        MARGIN,
        y,
        13,
        Anchor.START,
        PALE,
        "%s, driver %s. %d checks passed, %d failed, %d skipped."
            .formatted(
                machine.name(),
                machine.driverVersion(),
                result.count(Outcome.PASSED),
                result.count(Outcome.FAILED),
                result.count(Outcome.SKIPPED)));
    y += 30;
    section(PromiseCheck.class).ifPresent(promise -> promise.stories().forEach(this::story));
    section(CostCheck.class).ifPresent(this::cost);
    section(KillCheck.class).ifPresent(this::death);
    section(WorkloadCheck.class).ifPresent(this::workload);
    section(SharingCheck.class).ifPresent(this::sharing);
    section(LaneCheck.class).ifPresent(this::lanes);
    return svg.picture(WIDTH, y + 10);
  }

  private <T extends Section> Optional<T> section(Class<T> kind) {
    return result.sections().stream().filter(kind::isInstance).map(kind::cast).findFirst();
  }

  private void title(String text) {
    svg.text(MARGIN, y, 16, Anchor.START, INK, text);
    y += 14;
  }

  // --- a run of several programs: one bar each, and the device's memory above them
  private void story(String name, RunResults story) {
    double bar = 9;
    double height = 60;
    title(name + ": " + story.text());
    double scale = (WIDTH - 2 * MARGIN) / Math.max(0.001, story.seconds());
    double bottom = y + height;
    svg.line(MARGIN, y, WIDTH - MARGIN, y, 1, GRID);
    svg.line(MARGIN, bottom, WIDTH - MARGIN, bottom, 1, GRID);
    svg.text(WIDTH - MARGIN, y - 3, 10, Anchor.END, PALE, "the device's memory, as NVML has it");
    List<Double> points = new ArrayList<>();
    for (Sample sample : story.samples()) {
      points.add(MARGIN + Math.min(sample.seconds(), story.seconds()) * scale);
      points.add(bottom - height * sample.usedBytes() / result.machine().totalBytes());
    }
    svg.curve(points, 1.6, MEMORY);
    y = bottom + 4;
    for (Life life : story.lives()) {
      double memoryAt = life.memoryAt() < 0 ? life.endAt() : life.memoryAt();
      svg.box(MARGIN + life.startAt() * scale, y, (memoryAt - life.startAt()) * scale, bar, WAITS);
      svg.box(MARGIN + memoryAt * scale, y, (life.endAt() - memoryAt) * scale, bar, HOLDS);
      if (life.end() != End.DONE) {
        double x = MARGIN + life.endAt() * scale;
        svg.line(x - 5, y, x + 5, y + bar, 2.5, LOST);
        svg.line(x - 5, y + bar, x + 5, y, 2.5, LOST);
      }
      y += bar + 2;
    }
    y += 12;
    svg.box(MARGIN, y - 9, 10, 10, WAITS);
    svg.text(MARGIN + 14, y, 11, Anchor.START, PALE, "starts, waits");
    svg.box(MARGIN + 110, y - 9, 10, 10, HOLDS);
    svg.text(MARGIN + 124, y, 11, Anchor.START, PALE, "has its memory");
    svg.text(MARGIN + 240, y, 11, Anchor.START, LOST, "x");
    svg.text(MARGIN + 252, y, 11, Anchor.START, PALE, "lost");
    svg.text(WIDTH - MARGIN, y, 11, Anchor.END, PALE, "%.1f seconds".formatted(story.seconds()));
    y += 34;
  }

  // --- ratios around 1, with their intervals
  private void cost(CostCheck cost) {
    if (cost.ratios().isEmpty()) {
      return;
    }
    title("With schedGPU, divided by without (median of rounds, interval of 95 %)");
    double most = cost.ratios().stream().mapToDouble(r -> r.ratio().high()).max().orElse(1);
    double end = Math.max(1.2, most * 1.05);
    double scale = (WIDTH - MARGIN - LEFT) / end;
    double top = y;
    for (CostCheck.Ratio ratio : cost.ratios()) {
      y += 20;
      svg.text(LEFT - 10, y, 12, Anchor.END, INK, ratio.name());
      svg.box(LEFT, y - 10, ratio.ratio().value() * scale, 12, HOLDS);
      svg.line(
          LEFT + ratio.ratio().low() * scale,
          y - 4,
          LEFT + ratio.ratio().high() * scale,
          y - 4,
          2,
          INK);
      svg.text(
          Math.min(LEFT + ratio.ratio().high() * scale + 6, WIDTH - MARGIN - 30),
          y,
          11,
          Anchor.START,
          INK,
          "%.3f".formatted(ratio.ratio().value()));
    }
    svg.line(LEFT + scale, top, LEFT + scale, y + 6, 1, LOST);
    y += 40;
  }

  // --- milliseconds after a kill
  private void death(KillCheck death) {
    if (death.handovers().isEmpty()) {
      return;
    }
    title("A holder of memory is killed: milliseconds until the waiter has the memory");
    double most = death.handovers().stream().mapToDouble(KillCheck.Handover::gotMs).max().orElse(1);
    double scale = (WIDTH - MARGIN - LEFT - 60) / most;
    for (KillCheck.Handover handover : death.handovers()) {
      y += 16;
      svg.text(LEFT - 10, y, 12, Anchor.END, INK, handover.what());
      svg.box(LEFT, y - 9, handover.servedMs() * scale, 10, WAITS);
      svg.box(
          LEFT + handover.servedMs() * scale,
          y - 9,
          (handover.gotMs() - handover.servedMs()) * scale,
          10,
          HOLDS);
      if (handover.freeMs() >= 0) {
        double x = LEFT + handover.freeMs() * scale;
        svg.line(x, y - 11, x, y + 3, 2, MEMORY);
      }
      svg.text(
          LEFT + handover.gotMs() * scale + 6,
          y,
          11,
          Anchor.START,
          INK,
          "%.0f".formatted(handover.gotMs()));
    }
    y += 20;
    svg.text(
        LEFT,
        y,
        11,
        Anchor.START,
        PALE,
        "yellow: until it is granted; blue: until the driver gives it; green line: free, says"
            + " NVML");
    y += 30;
  }

  private void workload(WorkloadCheck workload) {
    if (workload.totals().isEmpty()) {
      return;
    }
    title("The paper's workload: total time, seconds of its test-bed");
    double most =
        workload.totals().stream().mapToDouble(WorkloadCheck.Total::seconds).max().orElse(1);
    bars(
        workload.totals().stream()
            .map(t -> Map.entry("%s (%d done)".formatted(t.title(), t.done()), t.seconds()))
            .toList(),
        most,
        "%.0f");
  }

  private void sharing(SharingCheck sharing) {
    if (sharing.slowdowns().isEmpty()) {
      return;
    }
    title("Programs that compute together: how many times longer each takes");
    double most =
        sharing.slowdowns().stream().mapToDouble(SharingCheck.Slowdown::factor).max().orElse(1);
    bars(
        sharing.slowdowns().stream()
            .map(
                s ->
                    Map.entry(
                        "%d, %s, %s".formatted(s.programs(), s.how(), s.kernels()), s.factor()))
            .toList(),
        most,
        "%.2f");
  }

  private void lanes(LaneCheck lanes) {
    if (lanes.shares().isEmpty()) {
      return;
    }
    title("Equal trainings in one fair lane: iterations per second of each");
    double most = lanes.shares().stream().mapToDouble(LaneCheck.Share::rate).max().orElse(1);
    bars(
        lanes.shares().stream()
            .map(s -> Map.entry("%s of %d".formatted(s.name(), s.programs()), s.rate()))
            .toList(),
        most,
        "%.1f");
  }

  private void bars(List<Map.Entry<String, Double>> values, double most, String format) {
    double left = LEFT + 40;
    double scale = (WIDTH - MARGIN - left - 50) / most;
    for (Map.Entry<String, Double> value : values) {
      y += 18;
      svg.text(left - 10, y, 12, Anchor.END, INK, value.getKey());
      svg.box(left, y - 10, value.getValue() * scale, 12, HOLDS);
      svg.text(
          left + value.getValue() * scale + 6,
          y,
          11,
          Anchor.START,
          INK,
          format.formatted(value.getValue()));
    }
    y += 36;
  }
}
