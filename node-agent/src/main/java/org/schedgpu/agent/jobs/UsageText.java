package org.schedgpu.agent.jobs;

import java.util.List;
import java.util.Locale;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.Style;
import org.schedgpu.agent.text.Texts;

/** Sums of users or accounts as text: at most 80 columns, GiB times hours. */
public final class UsageText {
  private static final int NAME_WIDTH = 20;
  private static final double GIB_HOUR = 3600.0 * (1L << 30);
  private static final double PERCENT = 100;

  private UsageText() {}

  /** A line for each, and one for all of them together. */
  public static String of(JsonFields answer, Style style) {
    String by = answer.text("by");
    List<JsonFields> usage = answer.list("usage");
    StringBuilder text = new StringBuilder();
    String heading =
        row(by.toUpperCase(Locale.ROOT), "JOBS", "WAITED", "RESERVED", "USED", "USED%");
    text.append(style.bold(heading)).append('\n');
    for (JsonFields entry : usage) {
      String name = entry.text(by);
      text.append(
          row(
              name.isEmpty() ? "-" : Texts.cut(name, NAME_WIDTH),
              entry.number("jobs"),
              entry.number("waitedNs"),
              entry.number("reservedByteSeconds"),
              entry.number("usedByteSeconds")));
    }
    if (usage.size() > 1) {
      text.append(
          row(
              "all",
              sum(usage, "jobs"),
              sum(usage, "waitedNs"),
              sum(usage, "reservedByteSeconds"),
              sum(usage, "usedByteSeconds")));
    }
    return text.toString();
  }

  private static long sum(List<JsonFields> usage, String name) {
    return usage.stream().mapToLong(entry -> entry.number(name)).sum();
  }

  private static String row(String name, long jobs, long waitedNs, long reserved, long used) {
    String percent = reserved > 0 ? String.valueOf(Math.round(PERCENT * used / reserved)) : "-";
    return row(
            name,
            String.valueOf(jobs),
            Texts.duration(waitedNs),
            gibHours(reserved),
            gibHours(used),
            percent)
        + "\n";
  }

  private static String gibHours(long byteSeconds) {
    return String.format(Locale.ROOT, "%.1f", byteSeconds / GIB_HOUR);
  }

  private static String row(Object... cells) {
    return String.format(Locale.ROOT, "%-20s %7s %8s %12s %12s %5s", cells).stripTrailing();
  }
}
