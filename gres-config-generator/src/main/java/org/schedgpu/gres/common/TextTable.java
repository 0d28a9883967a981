package org.schedgpu.gres.common;

import java.util.ArrayList;
import java.util.List;

/** A table that fits the terminal: long words in the widest columns are shortened. */
public final class TextTable {
  public static final int MAX_COLUMNS = 80;
  private static final String GAP = "  ";

  /** Marks the place where the middle of a cell was cut out. */
  public static final String CUT = "~";

  private static final int MIN_WIDTH = 6;

  private final List<String[]> rows = new ArrayList<>();

  public TextTable(String... heads) {
    rows.add(heads);
  }

  public void row(String... cells) {
    rows.add(cells);
  }

  /** The table, at most as wide as the terminal; without a terminal nothing is cut. */
  public String text() {
    return text(Terminal.columns());
  }

  public String text(int maxColumns) {
    int[] widths = fittingWidths(maxColumns);
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String cell = shortened(row[i], widths[i]);
        line.append(cell).append(" ".repeat(widths[i] - cell.length())).append(GAP);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private int[] fittingWidths(int maxColumns) {
    int[] widths = new int[rows.get(0).length];
    int total = GAP.length() * (widths.length - 1);
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      widths[i] = rows.stream().mapToInt(row -> row[column].length()).max().orElse(0);
      total += widths[i];
    }
    for (; total > maxColumns; total--) {
      int widest = widest(widths);
      if (widths[widest] <= MIN_WIDTH) {
        break;
      }
      widths[widest]--;
    }
    return widths;
  }

  private static int widest(int[] widths) {
    int widest = 0;
    for (int i = 1; i < widths.length; i++) {
      widest = widths[i] > widths[widest] ? i : widest;
    }
    return widest;
  }

  /** Cuts out the middle, because node names differ at the end and types at the beginning. */
  private static String shortened(String word, int width) {
    if (word.length() <= width) {
      return word;
    }
    int head = (width - CUT.length()) / 2;
    int tail = width - CUT.length() - head;
    return word.substring(0, head) + CUT + word.substring(word.length() - tail);
  }
}
