package org.schedgpu.bench;

import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** The paper's Figure 9 as text: a row for each stage, a column for each approach. */
final class Figure9Table {
  private static final String STAGE = "%-14s";
  private static final String CELL = " %12s";

  private Figure9Table() {}

  static String text(List<StageTime> times) {
    List<String> approaches = times.stream().map(StageTime::approach).distinct().toList();
    StringBuilder text =
        new StringBuilder("The paper's Figure 9: stages of the life cycle, us (p50 / p99)\n");
    text.append(header(approaches, Figure9Table::upper)).append('\n');
    text.append(header(approaches, Figure9Table::lower)).append('\n');
    StageTime.stages(times)
        .forEach(stage -> text.append(row(stage, approaches, times)).append('\n'));
    return text.toString();
  }

  private static String header(List<String> approaches, UnaryOperator<String> part) {
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, STAGE, ""));
    approaches.forEach(a -> line.append(String.format(Locale.ROOT, CELL, part.apply(a))));
    return line.toString();
  }

  /** A name of two words takes two lines. */
  private static String upper(String approach) {
    return approach.substring(0, approach.indexOf('-') + 1);
  }

  private static String lower(String approach) {
    return approach.substring(approach.indexOf('-') + 1);
  }

  private static String row(String stage, List<String> approaches, List<StageTime> times) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, STAGE, stage));
    for (String approach : approaches) {
      String cell =
          times.stream()
              .filter(time -> time.stage().equals(stage) && time.approach().equals(approach))
              .map(
                  time -> Numbers.shortened(time.p50Us()) + " / " + Numbers.shortened(time.p99Us()))
              .findFirst()
              .orElse("-");
      row.append(String.format(Locale.ROOT, CELL, cell));
    }
    return row.toString();
  }
}
