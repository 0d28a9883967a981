package org.schedgpu.bench;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The measurements without those of the queue, at most 80 columns wide. */
final class ResultTable {
  private static final String ROW = "%-28s %-2s %8s %8s %8s %6s %9s %4s";
  private static final String HEAD =
      String.format(Locale.ROOT, ROW, "name", "", "p50", "p99", "limit", "ratio", "target", "met");

  private ResultTable() {}

  static String text(Findings findings) {
    StringBuilder text = new StringBuilder(HEAD).append('\n');
    findings.measurements().stream()
        .filter(measurement -> !QueueTable.isOfQueue(measurement))
        .forEach(measurement -> text.append(row(measurement)).append('\n'));
    findings.unmeasured().forEach(missing -> text.append(row(missing)).append('\n'));
    return text.toString();
  }

  private static String row(Measurement m) {
    Optional<Target> target = Target.of(m.name());
    return String.format(
            Locale.ROOT,
            ROW,
            m.name(),
            m.unit(),
            Numbers.shortened(m.p50()),
            Numbers.shortened(m.p99()),
            Numbers.shortened(m.limit()),
            Numbers.shortened(m.ratio()),
            target.map(Target::toString).orElse("-"),
            target.map(t -> t.isMetBy(m) ? "yes" : "NO").orElse("-"))
        .stripTrailing();
  }

  private static String row(Unmeasured missing) {
    return String.format(
        Locale.ROOT, "%-28s %-2s %s", missing.name(), missing.unit(), missing.why());
  }

  /** The measurements that miss their target, one line each. */
  static String missed(Findings findings) {
    List<String> lines =
        findings.measurements().stream()
            .filter(m -> Target.of(m.name()).filter(target -> !target.isMetBy(m)).isPresent())
            .map(m -> String.format(Locale.ROOT, "  %-30s %s", m.name(), found(m)))
            .toList();
    return lines.isEmpty()
        ? "All targets are met.\n"
        : "Targets that are missed:\n" + String.join("\n", lines) + "\n";
  }

  private static String found(Measurement m) {
    Target target = Target.of(m.name()).orElseThrow();
    String value =
        target.unit().equals(m.unit())
            ? Numbers.shortened(m.p50()) + " " + m.unit()
            : Numbers.shortened(m.ratio()) + " x its limit";
    return value + ", target " + target;
  }
}
