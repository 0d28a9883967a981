package org.schedgpu.gpucheck;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.schedgpu.gpucheck.Frameworks.Framework;

/** The report as text, in 80 columns. */
final class Report {
  private static final int COLUMNS = 80;
  private static final String INDENT = " ".repeat(7);

  private Report() {}

  /** The device under test, with a remark if it is not a real GPU. */
  static String head(Machine machine, Frameworks frameworks) {
    List<String> lines = new ArrayList<>();
    if (machine.emulated()) {
      lines.add("EMULATED: this is no GPU. What is shown is that the check itself works.");
    }
    lines.add(
        "%s, %s, driver %s, CUDA %d.%d, %d processors"
            .formatted(
                machine.name(),
                Check.size(machine.totalBytes()),
                machine.driverVersion(),
                machine.cudaVersion() / 1000,
                machine.cudaVersion() % 1000 / 10,
                machine.processors()));
    for (Map.Entry<String, Framework> entry : new TreeMap<>(frameworks.all()).entrySet()) {
      Framework framework = entry.getValue();
      lines.add(
          "  %-6s %s"
              .formatted(
                  entry.getKey(), framework.isUsable() ? framework.version() : framework.reason()));
    }
    return String.join(System.lineSeparator(), lines);
  }

  /** A finding: its mark, the check, and the result, each on lines of its own. */
  static String lines(Finding finding) {
    List<String> lines = new ArrayList<>();
    String rest =
        "  %s %s: %s".formatted(finding.outcome().mark(), finding.check(), finding.result());
    String indent = "";
    while (indent.length() + rest.length() > COLUMNS) {
      int cut = rest.lastIndexOf(' ', COLUMNS - indent.length());
      cut = cut <= INDENT.length() ? Math.min(rest.length(), COLUMNS - indent.length()) : cut;
      lines.add(indent + rest.substring(0, cut));
      rest = rest.substring(cut).strip();
      indent = INDENT;
    }
    lines.add(indent + rest);
    return String.join(System.lineSeparator(), lines) + System.lineSeparator();
  }

  /** All of {@code result.txt}. */
  static String whole(Run.Result result) {
    StringBuilder text = new StringBuilder(head(result.machine(), result.frameworks()));
    text.append(System.lineSeparator());
    Map<String, String> questions =
        result.sections().stream().collect(Collectors.toMap(Section::name, Section::question));
    String last = "";
    for (Finding finding : result.findings()) {
      if (!finding.section().equals(last)) {
        last = finding.section();
        text.append(System.lineSeparator()).append(questions.getOrDefault(last, last));
        text.append(System.lineSeparator());
      }
      text.append(lines(finding));
    }
    text.append(System.lineSeparator());
    result.spent().forEach(one -> text.append(one.text()).append(System.lineSeparator()));
    return text.append(end(result)).append(System.lineSeparator()).toString();
  }

  /** The last lines: the failures, and the number of findings of each kind. */
  static String end(Run.Result result) {
    StringBuilder text = new StringBuilder();
    result.findings().stream()
        .filter(finding -> finding.outcome() == Outcome.FAILED)
        .forEach(finding -> text.append(lines(finding)));
    text.append(
        "%s: %d passed, %d failed, %d measured, %d skipped, %d not done"
            .formatted(
                result.machine().emulated() ? "GPU check on the EMULATOR" : "GPU check",
                result.count(Outcome.PASSED),
                result.count(Outcome.FAILED),
                result.count(Outcome.MEASURED),
                result.count(Outcome.SKIPPED),
                result.count(Outcome.NOT_DONE)));
    return text.toString();
  }
}
