package org.schedgpu.agent.suggest;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.schedgpu.agent.text.Texts;

/** Suggestions as text: at most 80 columns. */
public final class SuggestText {
  private static final int NAME_WIDTH = 20;
  private static final int USER_WIDTH = 8;

  private SuggestText() {}

  /**
   * A table.
   *
   * @param suggestions as {@link Suggestion#toMap}; at least one
   * @param heading formats the heading
   */
  public static String of(
      List<Map<String, Object>> suggestions, java.util.function.UnaryOperator<String> heading) {
    StringBuilder text = new StringBuilder();
    text.append(
        heading.apply(format("JOB NAME", "USER", "RUNS", "ASKED", "USED", "NEXT TIME").strip()));
    text.append('\n');
    boolean anyAtLeast = false;
    for (Map<String, Object> s : suggestions) {
      boolean atLeast = Boolean.TRUE.equals(s.get("atLeast"));
      anyAtLeast |= atLeast;
      text.append(line(s, atLeast));
    }
    if (anyAtLeast) {
      text.append("* at least: a run came to the end of its budget, or was refused more\n");
    }
    return text.toString();
  }

  private static String line(Map<String, Object> s, boolean atLeast) {
    long asked = number(s, "askedBytes");
    return format(
        Texts.cut(String.valueOf(s.get("name")), NAME_WIDTH),
        Texts.cut(String.valueOf(s.get("user")), USER_WIDTH),
        number(s, "runs"),
        asked == 0 ? "none" : Texts.size(asked),
        Texts.size(number(s, "usedBytes")),
        "--schedgpu-mem=" + Suggestion.typed(number(s, "suggestedBytes")) + (atLeast ? " *" : ""));
  }

  private static String format(Object... columns) {
    return String.format(Locale.ROOT, "%-20s %-8s %4s %10s %10s  %s%n", columns);
  }

  private static long number(Map<String, Object> s, String key) {
    return s.get(key) instanceof Number number ? number.longValue() : 0;
  }
}
