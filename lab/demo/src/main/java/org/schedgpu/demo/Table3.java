package org.schedgpu.demo;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.demo.JobResult.Outcome;

/** The paper's Table 3 and our results, at most 80 columns wide. */
final class Table3 {
  private static final String HEAD =
      """
                              jobs    total time (s)   GPU busy (%)  memory used (%)
      configuration           done     paper     here  paper   here   paper     here
      """;

  private Table3() {}

  static String text(List<RunResult> runs) {
    StringBuilder text = new StringBuilder(HEAD);
    runs.forEach(run -> text.append(row(run)).append('\n'));
    return text.toString();
  }

  private static String row(RunResult run) {
    Optional<PaperRow> paper = PaperRow.of(run.kind());
    return String.format(
        Locale.ROOT,
        "%-22s %2d/%2d %9s %8s %6s %6s %7s %8s",
        run.kind().title(),
        run.count(Outcome.COMPLETED),
        run.jobs().size(),
        paper.map(row -> number(row.totalSeconds())).orElse("-"),
        number(run.totalSeconds()),
        paper.map(row -> number(row.gpuUtilisationPercent())).orElse("-"),
        number(run.gpuUtilisationPercent()),
        paper.map(row -> number(row.memoryUsedPercent())).orElse("-"),
        number(run.memoryUsedPercent()));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.1f", value);
  }
}
