package org.schedgpu.bench;

import java.util.List;
import java.util.Locale;

/** The paper's Figure 9 as text: stages below each other, approaches beside. */
final class Figure9Table {
  private Figure9Table() {}

  static String text(List<StageTime> times) {
    List<String> approaches = times.stream().map(StageTime::approach).distinct().toList();
    StringBuilder text =
        new StringBuilder("The paper's Figure 9: stages of the life cycle, us (p50 / p99)\n");
    text.append(String.format(Locale.ROOT, "%-16s", ""));
    approaches.forEach(a -> text.append(String.format(Locale.ROOT, " %20s", a)));
    text.append('\n');
    times.stream()
        .map(StageTime::stage)
        .distinct()
        .forEach(stage -> text.append(row(stage, approaches, times)).append('\n'));
    return text.toString();
  }

  private static String row(String stage, List<String> approaches, List<StageTime> times) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-16s", stage));
    for (String approach : approaches) {
      String cell =
          times.stream()
              .filter(time -> time.stage().equals(stage) && time.approach().equals(approach))
              .map(
                  time -> Numbers.shortened(time.p50Us()) + " / " + Numbers.shortened(time.p99Us()))
              .findFirst()
              .orElse("-");
      row.append(String.format(Locale.ROOT, " %20s", cell));
    }
    return row.toString();
  }
}
