package org.schedgpu.gres.conf;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts with Slurm's suffixes: K and KiB are 1024, KB is 1000. */
final class GresCounts {
  private static final Pattern COUNT = Pattern.compile("([0-9]{1,18})(?:([kmgtp])(ib|b)?)?");

  private GresCounts() {}

  /** Parses a count; empty if Slurm would reject it, or it is too large. */
  static OptionalLong parse(String text) {
    Matcher count = COUNT.matcher(text.toLowerCase(Locale.ROOT));
    if (!count.matches()) {
      return OptionalLong.empty();
    }
    long value = Long.parseLong(count.group(1));
    int power = count.group(2) == null ? 0 : "kmgtp".indexOf(count.group(2)) + 1;
    long unit = "b".equals(count.group(3)) ? 1000 : 1024;
    try {
      for (int i = 0; i < power; i++) {
        value = Math.multiplyExact(value, unit);
      }
      return OptionalLong.of(value);
    } catch (ArithmeticException e) {
      return OptionalLong.empty();
    }
  }
}
