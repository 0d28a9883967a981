package org.schedgpu.demo;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The results of demo-lanes as text of at most 80 columns. */
final class LaneReport {
  private static final int SHOWN_TURNS = 24;

  private LaneReport() {}

  /** What runs, and which parts are not real. */
  static String introduction() {
    return String.format(
        Locale.ROOT,
        """
        Trainings share one GPU by a lane: they take turns, iteration by iteration.
        The GPU (%,d MiB) is EMULATED: kernels take time and compute nothing.
        No Slurm: schedgpu run --lane starts each training, which is a process.
        """,
        LaneNode.DEVICE_MIB);
  }

  /** Table and analysis of a scenario. */
  static String text(LaneResult result) {
    return "\n"
        + title(result.scenario())
        + "\n\n"
        + sums(result)
        + "\n"
        + table(result)
        + "\n"
        + (result.scenario().policy().equals("fair") ? throughput(result) : turns(result))
        + verdict(result);
  }

  private static String title(Scenario scenario) {
    return "%s: %s, EMULATED GPU"
        .formatted(scenario.policy().toUpperCase(Locale.ROOT), scenario.title());
  }

  private static String sums(LaneResult result) {
    int jobs = result.results().size();
    long each = Training.BUDGET_MIB + LaneNode.CONTEXT_MIB;
    return String.format(
        Locale.ROOT,
        """
        MiB of each job: %,d kept, %,d more in an iteration: %,d; context %d.
        Without lanes %d of %d jobs can run at a time: %d need %,d of %,d MiB.
        In a lane all need %d x %d + %,d + %d x %d = %,d MiB.
        Most memory in use at once, by NVML: %,d MiB.
        """,
        Training.MODEL_MIB,
        Training.EPHEMERAL_MIB,
        Training.BUDGET_MIB,
        LaneNode.CONTEXT_MIB,
        LaneNode.DEVICE_MIB / each,
        jobs,
        LaneNode.DEVICE_MIB / each + 1,
        (LaneNode.DEVICE_MIB / each + 1) * each,
        LaneNode.DEVICE_MIB,
        jobs,
        Training.MODEL_MIB,
        Training.EPHEMERAL_MIB,
        jobs,
        LaneNode.CONTEXT_MIB,
        jobs * (Training.MODEL_MIB + LaneNode.CONTEXT_MIB) + Training.EPHEMERAL_MIB,
        result.peakBytes() >> 20);
  }

  private static String table(LaneResult result) {
    List<Turn> turns = Turn.of(result.results());
    return "job       policy  arrived  alone  iterations  turns  waited   ended  completion\n"
        + result.results().stream()
            .map(one -> row(result, one, turns))
            .collect(Collectors.joining());
  }

  private static String row(LaneResult result, TrainingResult one, List<Turn> turns) {
    return String.format(
        Locale.ROOT,
        "%-9s %-6s %7.2fs %5.1fs  %4d of %3d %6d %6.2fs %6.2fs  %9.2fs\n",
        one.name(),
        result.scenario().policy(),
        result.seconds(one.startedNs()),
        one.training().lengthMs() / 1000.0,
        one.iterations().size(),
        one.training().iterations(),
        turns.stream().filter(turn -> turn.name().equals(one.name())).count(),
        one.waitSeconds(),
        result.seconds(one.endNs()),
        one.completionSeconds());
  }

  private static String throughput(LaneResult result) {
    String names =
        result.results().stream()
            .map(one -> String.format(Locale.ROOT, " %8s", one.name()))
            .collect(Collectors.joining());
    return String.format(
            Locale.ROOT,
            "LaneQuantum is %d ms (default: 1 s).\n"
                + "Iterations per second and shares, measured while the same jobs ran:\n",
            result.scenario().quantumMs())
        + String.format(Locale.ROOT, "   from      to%s %8s  shares (%%)\n", names, "all")
        + result.phases().stream().map(phase -> phase(result, phase)).collect(Collectors.joining());
  }

  private static String phase(LaneResult result, LaneResult.Phase phase) {
    List<Double> rates =
        result.results().stream().map(one -> one.rate(phase.fromNs(), phase.toNs())).toList();
    double all = rates.stream().mapToDouble(rate -> rate).sum();
    String cells =
        rates.stream()
            .map(rate -> String.format(Locale.ROOT, " %8.1f", rate))
            .collect(Collectors.joining());
    String shares =
        rates.stream()
            .map(rate -> String.format(Locale.ROOT, "%.0f", all > 0 ? 100 * rate / all : 0))
            .collect(Collectors.joining(" + "));
    return String.format(
        Locale.ROOT,
        "%6.2fs %6.2fs%s %8.1f  %s\n",
        result.seconds(phase.fromNs()),
        result.seconds(phase.toNs()),
        cells,
        all,
        shares);
  }

  private static String turns(LaneResult result) {
    List<Turn> turns = Turn.of(result.results());
    String more =
        turns.size() <= SHOWN_TURNS
            ? ""
            : "  and %d more turns\n".formatted(turns.size() - SHOWN_TURNS);
    return "Who had the turn:\n"
        + turns.stream()
            .limit(SHOWN_TURNS)
            .map(turn -> turn(result, turn))
            .collect(Collectors.joining())
        + more;
  }

  private static String turn(LaneResult result, Turn turn) {
    return String.format(
        Locale.ROOT,
        "%6.2fs %6.2fs  %-9s %4d iterations\n",
        result.seconds(turn.fromNs()),
        result.seconds(turn.toNs()),
        turn.name(),
        turn.iterations());
  }

  private static String verdict(LaneResult result) {
    List<Turn> turns = Turn.of(result.results());
    return String.format(
            Locale.ROOT,
            "\nEnded in this order:\n  %s.\n%d turns; %.2f ms (median) from one to the next."
                + " At the same time: %d.\n",
            String.join(", ", result.ends()),
            turns.size(),
            Turn.medianPauseMs(turns),
            Turn.together(result.results()))
        + result.results().stream()
            .filter(TrainingResult::failed)
            .map(LaneReport::failure)
            .collect(Collectors.joining());
  }

  private static String failure(TrainingResult one) {
    return "FAILED: %s ended with status %d after %d of %d iterations: %s\n"
        .formatted(
            one.name(),
            one.exitCode(),
            one.iterations().size(),
            one.training().iterations(),
            one.errors().isEmpty() ? "it wrote no error" : one.errors());
  }
}
