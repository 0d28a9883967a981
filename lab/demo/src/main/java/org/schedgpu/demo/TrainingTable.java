package org.schedgpu.demo;

import java.util.List;
import java.util.Locale;
import org.schedgpu.demo.JobResult.Outcome;

/** What became of the trainings in each run, at most 80 columns wide. */
final class TrainingTable {
  private static final String HEAD =
      """
                              jobs       out of       total  mean wait for     memory
      configuration           done       memory    time (s)     memory (s)   used (%)
      """;

  private TrainingTable() {}

  static String text(List<RunResult> runs) {
    StringBuilder text = new StringBuilder(HEAD);
    runs.forEach(run -> text.append(row(run)).append('\n'));
    return text.toString();
  }

  private static String row(RunResult run) {
    return String.format(
        Locale.ROOT,
        "%-22s %2d/%2d %12d %,11.1f %14.1f %10.1f",
        run.kind().title(),
        run.count(Outcome.COMPLETED),
        run.jobs().size(),
        run.count(Outcome.OUT_OF_MEMORY),
        run.totalSeconds(),
        run.jobs().stream().mapToDouble(JobResult::waitSeconds).average().orElse(0),
        run.memoryUsedPercent());
  }
}
