package org.schedgpu.agent.conf;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Virtual GPUs as devices.conf lists them: {@code 0,2,4-6}. */
final class IndexList {
  private static final Pattern PART = Pattern.compile("([0-9]{1,5})(?:-([0-9]{1,5}))?");
  private static final int LARGEST = 4095;
  private static final int MOST = 1024;

  private IndexList() {}

  /** The indexes, in their order; empty if it is no list, or one of them is there twice. */
  static Optional<Set<Integer>> of(String list) {
    Set<Integer> all = new LinkedHashSet<>();
    for (String part : list.split(",", -1)) {
      Matcher range = PART.matcher(part);
      if (!range.matches() || !add(all, range)) {
        return Optional.empty();
      }
    }
    return Optional.of(all);
  }

  private static boolean add(Set<Integer> all, Matcher range) {
    int first = Integer.parseInt(range.group(1));
    int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
    if (last < first || last > LARGEST) {
      return false;
    }
    for (int index = first; index <= last; index++) {
      if (!all.add(index)) {
        return false;
      }
    }
    return all.size() <= MOST;
  }
}
