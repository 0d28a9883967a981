package org.schedgpu.agent.setup;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Numbers as Linux and Slurm write them: {@code 0-7,16-23}. */
final class CpuList {
  private CpuList() {}

  /**
   * @throws NumberFormatException if the text is not a list of CPUs
   */
  static BitSet parse(String text) {
    BitSet numbers = new BitSet();
    if (text.isEmpty()) {
      return numbers;
    }
    for (String range : text.split(",", -1)) {
      String[] ends = range.split("-", 2);
      int first = Integer.parseInt(ends[0]);
      int last = ends.length == 1 ? first : Integer.parseInt(ends[1]);
      if (first < 0 || last < first) {
        throw new NumberFormatException(range);
      }
      numbers.set(first, last + 1);
    }
    return numbers;
  }

  static String text(BitSet numbers) {
    List<String> ranges = new ArrayList<>();
    for (int first = numbers.nextSetBit(0); first >= 0; ) {
      int last = numbers.nextClearBit(first) - 1;
      ranges.add(first == last ? Integer.toString(first) : first + "-" + last);
      first = numbers.nextSetBit(last + 1);
    }
    return String.join(",", ranges);
  }
}
