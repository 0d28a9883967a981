package org.schedgpu.agent.jobs;

import java.util.List;
import java.util.Locale;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.Style;
import org.schedgpu.agent.text.Texts;

/** Sums of users or accounts as text: at most 80 columns, GiB times hours, and hours. */
public final class UsageText {
  private static final int NAME_WIDTH = 20;
  private static final double GIB_HOUR = 3600.0 * (1L << 30);
  private static final double NS_HOUR = 3600e9;
  private static final double PERCENT = 100;

  private UsageText() {}

  /** A line for each, and one for all of them together. */
  public static String of(JsonFields answer, Style style) {
    String by = answer.text("by");
    List<JsonFields> usage = answer.list("usage");
    StringBuilder text = new StringBuilder();
    String heading =
        row(by.toUpperCase(Locale.ROOT), "JOBS", "WAITED", "RESERVED", "USED", "USED%", "TURN h");
    text.append(style.bold(heading)).append('\n');
    for (JsonFields entry : usage) {
      String name = entry.text(by);
      text.append(line(name.isEmpty() ? "-" : Texts.cut(name, NAME_WIDTH), List.of(entry)));
    }
    if (usage.size() > 1) {
      text.append(line("all", usage));
    }
    return text.append(unknownTurns(usage)).toString();
  }

  private static long sum(List<JsonFields> usage, String name) {
    return usage.stream().mapToLong(entry -> entry.number(name)).sum();
  }

  /** The sums of some of them. */
  private static String line(String name, List<JsonFields> usage) {
    long reserved = sum(usage, "reservedByteSeconds");
    long used = sum(usage, "usedByteSeconds");
    boolean turns = usage.stream().anyMatch(entry -> entry.optional("turnNs").isPresent());
    return row(
            name,
            String.valueOf(sum(usage, "jobs")),
            Texts.duration(sum(usage, "waitedNs")),
            gibHours(reserved),
            gibHours(used),
            reserved > 0 ? String.valueOf(Math.round(PERCENT * used / reserved)) : "-",
            turns ? hours(sum(usage, "turnNs")) : "-")
        + "\n";
  }

  private static String unknownTurns(List<JsonFields> usage) {
    long unknown = sum(usage, "turnUnknownJobs");
    return unknown == 0
        ? ""
        : "\nTURN h is without %s, of which it is not known.\n"
            .formatted(Texts.count(unknown, "lane job", "lane jobs"));
  }

  private static String gibHours(long byteSeconds) {
    return String.format(Locale.ROOT, "%.1f", byteSeconds / GIB_HOUR);
  }

  private static String hours(long ns) {
    return String.format(Locale.ROOT, "%.2f", ns / NS_HOUR);
  }

  private static String row(Object... cells) {
    return String.format(Locale.ROOT, "%-20s %7s %8s %12s %12s %5s %8s", cells).stripTrailing();
  }
}
