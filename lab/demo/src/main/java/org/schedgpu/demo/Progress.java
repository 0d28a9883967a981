package org.schedgpu.demo;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Shows the progress of a run: on a terminal in one line that is redrawn, otherwise in a new line
 * from time to time. Used by one thread.
 */
final class Progress {
  private static final int BAR = 12;
  private static final int QUIET_SECONDS = 10;

  /**
   * What is shown.
   *
   * @param queued jobs in Slurm's queue
   * @param running jobs that run and do not wait
   * @param waiting jobs that wait for device memory
   * @param done jobs that ended
   * @param memoryPercent of the device's memory in use
   * @param utilisationPercent NVML's
   * @param seconds of the paper's test-bed since the first submission
   */
  record State(
      int queued,
      int running,
      int waiting,
      int done,
      double memoryPercent,
      int utilisationPercent,
      double seconds) {}

  private final PrintStream out;
  private final boolean terminal;
  private long nextNs;

  Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Shows the state, unless it is too early for another line. */
  void show(RunKind kind, State state) {
    if (terminal) {
      out.print("\r" + line(kind, state));
      out.flush();
    } else if (System.nanoTime() - nextNs >= 0) {
      out.println(line(kind, state));
      nextNs = System.nanoTime() + QUIET_SECONDS * 1_000_000_000L;
    }
  }

  /** Completes the line of a run with its result. */
  void done(RunResult result) {
    String text =
        String.format(
            Locale.ROOT,
            "%-22s %2d of %d jobs completed, %d out of memory, in %,.0f s",
            result.kind().title(),
            result.count(JobResult.Outcome.COMPLETED),
            result.jobs().size(),
            result.count(JobResult.Outcome.OUT_OF_MEMORY),
            result.totalSeconds());
    out.printf(terminal ? "\r%-79s%n" : "%s%n", text);
    result.jobs().stream()
        .filter(job -> job.outcome() == JobResult.Outcome.FAILED)
        .forEach(job -> out.println("  " + job.name() + " failed: " + job.lastError()));
    nextNs = 0;
  }

  /** At most 79 characters. */
  static String line(RunKind kind, State state) {
    return String.format(
        Locale.ROOT,
        "%-14s%5.0f s [%s] mem %3.0f%% gpu %3d%% q%2d run%2d wait%2d done%2d",
        kind.word(),
        state.seconds(),
        bar(state.memoryPercent()),
        state.memoryPercent(),
        state.utilisationPercent(),
        state.queued(),
        state.running(),
        state.waiting(),
        state.done());
  }

  private static String bar(double percent) {
    int full = (int) Math.round(Math.min(100, Math.max(0, percent)) / 100 * BAR);
    return "#".repeat(full) + ".".repeat(BAR - full);
  }
}
