package org.schedgpu.gres.common;

import java.util.ArrayList;
import java.util.List;

/** Lists of indexes as Slurm writes them: {@code 0-11}, {@code 0,2,4-6}. */
public final class IndexList {
  private IndexList() {}

  /** Formats ascending indexes; two neighbours also become a range. */
  public static String format(List<Integer> ascending) {
    List<String> parts = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= ascending.size(); i++) {
      if (i == ascending.size() || ascending.get(i) != ascending.get(i - 1) + 1) {
        parts.add(range(ascending.get(start), ascending.get(i - 1)));
        start = i;
      }
    }
    return String.join(",", parts);
  }

  private static String range(int first, int last) {
    return first == last ? Integer.toString(first) : first + "-" + last;
  }
}
