package org.schedgpu.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Describes each limit: one line for all measurements with the same limit. */
final class LimitText {
  private static final int WIDTH = 80;

  private LimitText() {}

  static String text(Findings findings) {
    Map<String, List<String>> names =
        findings.measurements().stream()
            .collect(
                Collectors.groupingBy(
                    Measurement::limitIs,
                    LinkedHashMap::new,
                    Collectors.mapping(m -> family(m.name()), Collectors.toList())));
    StringBuilder text = new StringBuilder("Limits\n");
    names.forEach(
        (limitIs, all) -> {
          String who = all.stream().distinct().collect(Collectors.joining(", "));
          text.append(wrapped(who + ": " + limitIs)).append('\n');
        });
    return text.toString();
  }

  /** Names that differ only in a number or a policy share a line. */
  private static String family(String name) {
    return name.replaceFirst("^(queue-[a-z]+)-.*", "$1-*").replaceFirst("-\\d+-", "-*-");
  }

  private static String wrapped(String sentence) {
    StringBuilder text = new StringBuilder("  ");
    int column = 2;
    for (String word : sentence.split(" ", -1)) {
      if (column + 1 + word.length() > WIDTH) {
        text.append("\n     ");
        column = 5;
      }
      text.append(column == 2 ? "" : " ").append(word);
      column += word.length() + 1;
    }
    return text.toString();
  }
}
