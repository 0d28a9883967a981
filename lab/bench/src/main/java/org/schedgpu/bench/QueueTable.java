package org.schedgpu.bench;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The p50 of scans and grants: a row for each policy, a column for each length of the queue. */
final class QueueTable {
  private static final Pattern NAME = Pattern.compile("queue-(pass|grant)-(.+)-(\\d+)");

  private final Map<String, Map<Integer, Measurement>> byPolicy = new LinkedHashMap<>();
  private final Set<Integer> lengths = new TreeSet<>();

  private QueueTable(Findings findings, String what) {
    for (Measurement measurement : findings.measurements()) {
      Matcher name = NAME.matcher(measurement.name());
      if (name.matches() && name.group(1).equals(what)) {
        int length = Integer.parseInt(name.group(3));
        lengths.add(length);
        byPolicy
            .computeIfAbsent(name.group(2), key -> new LinkedHashMap<>())
            .put(length, measurement);
      }
    }
  }

  static boolean isOfQueue(Measurement measurement) {
    return NAME.matcher(measurement.name()).matches();
  }

  static String text(Findings findings) {
    return "A pass over the queue in which nobody can be served, us (p50)\n"
        + new QueueTable(findings, "pass").rows()
        + "\nA release that serves the whole queue, ns for each grant (p50)\n"
        + new QueueTable(findings, "grant").rows();
  }

  private String rows() {
    String head = row("waiters", lengths.stream().map(String::valueOf).toList());
    return byPolicy.entrySet().stream()
        .map(
            entry ->
                row(
                    entry.getKey(),
                    lengths.stream().map(length -> cell(entry.getValue(), length)).toList()))
        .collect(Collectors.joining("\n", head + "\n", "\n"));
  }

  private static String row(String first, Iterable<String> cells) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-18s", first));
    cells.forEach(cell -> row.append(String.format(Locale.ROOT, " %9s", cell)));
    return row.toString();
  }

  private static String cell(Map<Integer, Measurement> row, int length) {
    Measurement measurement = row.get(length);
    return measurement == null ? "-" : Numbers.shortened(measurement.p50());
  }
}
