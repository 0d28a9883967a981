package org.schedgpu.gres.conf;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Writes a hostlist: neighbours with the same prefix share one bracket. */
final class HostlistWriter {
  /** A longer number stays part of the prefix, so that every number fits a long. */
  private static final int MAX_DIGITS = 17;

  private final List<String> words = new ArrayList<>();
  private final StringBuilder ranges = new StringBuilder();
  private String prefix;
  private boolean several;
  private String first = "";
  private String last = "";

  String write(Collection<String> names) {
    names.forEach(this::add);
    endWord();
    return String.join(",", words);
  }

  private void add(String name) {
    int digits = name.length();
    while (digits > 0
        && name.length() - digits < MAX_DIGITS
        && Hostlist.isDigit(name.charAt(digits - 1))) {
      digits--;
    }
    if (digits == name.length()) {
      endWord();
      words.add(name);
      return;
    }
    String number = name.substring(digits);
    if (!name.substring(0, digits).equals(prefix)) {
      endWord();
      prefix = name.substring(0, digits);
    } else if (follows(number)) {
      last = number;
      several = true;
      return;
    } else {
      endRange();
      several = true;
    }
    first = number;
    last = number;
  }

  /** True if this is the next number in a range that begins with {@link #first}. */
  private boolean follows(String number) {
    return number.equals(Hostlist.padded(Long.parseLong(last) + 1, first.length()));
  }

  private void endRange() {
    ranges.append(ranges.length() == 0 ? "" : ",").append(first);
    if (!first.equals(last)) {
      ranges.append('-').append(last);
    }
  }

  private void endWord() {
    if (prefix != null) {
      endRange();
      words.add(several ? prefix + "[" + ranges + "]" : prefix + first);
    }
    prefix = null;
    several = false;
    ranges.setLength(0);
  }
}
