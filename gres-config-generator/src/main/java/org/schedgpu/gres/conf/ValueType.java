package org.schedgpu.gres.conf;

import java.math.BigInteger;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The type of a key's value; Slurm exits if a value does not have it. */
enum ValueType {
  STRING("text"),
  UINT16("a number from 0 to 65535, or INFINITE"),
  UINT32("a number from 0 to 4294967295, or INFINITE"),
  UINT64("a number, or INFINITE"),
  YESNO("yes or no"),
  NUMBER("a number, a fraction too, or INFINITE");

  private static final Set<String> WORDS = Set.of("infinite", "unlimited");
  private static final Set<String> BOOLEANS =
      Set.of("yes", "up", "true", "1", "no", "down", "false", "0");

  /** As strtoul(3) takes it: decimal, 0x..., 0...; nothing at all is 0. */
  private static final Pattern INTEGER =
      Pattern.compile("[ \\t]*\\+?(?:0x([0-9a-f]+)|0([0-7]+)|(0|[1-9][0-9]*))(k?)");

  private static final Pattern FRACTION = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)");

  private final String expected;

  ValueType(String expected) {
    this.expected = expected;
  }

  /** A description of valid values, for a message. */
  String expected() {
    return expected;
  }

  boolean takes(String value) {
    String word = value.toLowerCase(Locale.ROOT);
    return switch (this) {
      case STRING -> true;
      case YESNO -> BOOLEANS.contains(word);
      case NUMBER -> isWord(word) || FRACTION.matcher(word).matches();
      case UINT16 -> isWord(word) || fits(word, 16, false);
      case UINT32 -> isWord(word) || fits(word, 32, true);
      case UINT64 -> isWord(word) || fits(word, 64, true);
    };
  }

  private static boolean isWord(String word) {
    return word.isEmpty() || WORDS.contains(word);
  }

  private static boolean fits(String word, int bits, boolean withK) {
    Matcher number = INTEGER.matcher(word);
    if (!number.matches() || (!withK && !number.group(4).isEmpty())) {
      return false;
    }
    BigInteger value =
        number.group(1) != null
            ? new BigInteger(number.group(1), 16)
            : number.group(2) != null
                ? new BigInteger(number.group(2), 8)
                : new BigInteger(number.group(3));
    return value.shiftLeft(number.group(4).isEmpty() ? 0 : 10).bitLength() <= bits;
  }
}
