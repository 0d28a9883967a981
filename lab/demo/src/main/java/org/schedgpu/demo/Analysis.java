package org.schedgpu.demo;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.demo.JobResult.Outcome;

/** What bounds the total time, and how far each run is from that bound; at most 80 columns. */
final class Analysis {
  private Analysis() {}

  static String text(List<RunResult> runs, Bounds bounds) {
    StringBuilder text = new StringBuilder();
    text.append(
        format(
            """
            What bounds the total time:
              %8.1f s  the longest job, MUMmerGPU, alone
              %8.1f s  all kernels, one after the other
              %8.1f s  memory x time held of all jobs, over the device's memory
            So no schedule ends before %.1f s. One job after the other takes %,.1f s
            without any pause between jobs: no schedule is more than %.2f times faster.

            """,
            bounds.longestSeconds(),
            bounds.gpuSeconds(),
            bounds.memorySeconds(),
            bounds.totalSeconds(),
            bounds.sequentialSeconds(),
            bounds.sequentialSeconds() / bounds.totalSeconds()));
    text.append(
        """
                                 speed-up    over the  of the last job to end (s)
        configuration           paper  here     bound   in queue  waits  slower kernels
        """);
    runs.forEach(run -> text.append(row(run, exclusive(runs), bounds)).append('\n'));
    text.append(
        """

        waits for memory, mean per job (s)       ara  mummergpu  gpu-blast
        """);
    runs.forEach(run -> text.append(waits(run)).append('\n'));
    return text.toString();
  }

  private static Optional<RunResult> exclusive(List<RunResult> runs) {
    return runs.stream().filter(run -> run.kind() == RunKind.EXCLUSIVE).findFirst();
  }

  private static String row(RunResult run, Optional<RunResult> exclusive, Bounds bounds) {
    return format(
        "%-23s %5s %5s  %8s  %s",
        run.kind().title(),
        PaperRow.of(run.kind()).map(row -> format("%.2f", paperSpeedUp(row))).orElse("-"),
        exclusive.map(slow -> speedUp(slow, run)).orElse("-"),
        overTheBound(run, bounds),
        run.kind().isShared() ? lastJob(run) : "");
  }

  /** Where the time of the last job to end was spent, in addition to its time alone. */
  private static String lastJob(RunResult run) {
    return run.jobs().stream()
        .max(Comparator.comparingDouble(job -> job.run().to()))
        .map(
            job ->
                format(
                    "%9.1f %6.1f %15.1f", job.run().from(), job.waitSeconds(), job.slowedSeconds()))
        .orElse("");
  }

  private static String waits(RunResult run) {
    return format(
        "%-33s %10.1f %10.1f %10.1f",
        run.kind().title(),
        meanWait(run, "ara"),
        meanWait(run, "mummergpu"),
        meanWait(run, "gpu-blast"));
  }

  /** A run that lost jobs did less work, so its time cannot be compared. */
  private static String overTheBound(RunResult run, Bounds bounds) {
    return run.count(Outcome.COMPLETED) < run.jobs().size()
        ? "-"
        : format("%.1f%%", 100 * (run.totalSeconds() / bounds.totalSeconds() - 1));
  }

  private static double paperSpeedUp(PaperRow row) {
    return PaperRow.of(RunKind.EXCLUSIVE).orElseThrow().totalSeconds() / row.totalSeconds();
  }

  /** A run that lost jobs has no speed-up, because it did not do all the work. */
  private static String speedUp(RunResult exclusive, RunResult run) {
    return run.count(Outcome.COMPLETED) < run.jobs().size()
        ? "-"
        : format("%.2f", exclusive.totalSeconds() / run.totalSeconds());
  }

  private static double meanWait(RunResult run, String program) {
    return run.jobs().stream()
        .filter(job -> job.program().equals(program))
        .mapToDouble(JobResult::waitSeconds)
        .average()
        .orElse(0);
  }

  private static String format(String text, Object... values) {
    return String.format(Locale.ROOT, text, values);
  }
}
