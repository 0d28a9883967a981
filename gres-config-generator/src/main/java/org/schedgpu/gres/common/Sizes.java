package org.schedgpu.gres.common;

import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes as everywhere in schedGPU: {@code 512M}, {@code 6G}, {@code 6GiB}, {@code 1P}, {@code 40%};
 * a bare number is MiB, as in Slurm. Whole numbers, units of 1024, any case, no blanks. The rules
 * are those of {@code schedgpu_parse_bytes}, which this module cannot call, as it needs no library;
 * a test of the agent compares both. No state: safe for use by several threads.
 */
public final class Sizes {
  private static final Pattern SIZE =
      Pattern.compile("([0-9]+)(?:([KMGTP])(?:IB)?)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern PERCENT = Pattern.compile("0*([0-9]{1,3})%");
  private static final String UNITS = "KMGTP";
  private static final int MIB_SHIFT = 20;
  private static final double GIB = 1L << 30;
  private static final int ALL_PERCENT = 100;

  private Sizes() {}

  /**
   * Reads a size that must not be a percentage.
   *
   * @return bytes, at least 0
   * @throws GresException if it is not a size, or is more than 2^63 - 1 bytes
   */
  public static long parseBytes(String text) {
    Matcher size = SIZE.matcher(text);
    if (!size.matches()) {
      throw notASize(text, "use a size such as 512M, 6G, 6GiB or 1T; a bare number is MiB");
    }
    String unit = size.group(2);
    int shift = unit == null ? MIB_SHIFT : 10 * (UNITS.indexOf(unit.toUpperCase(Locale.ROOT)) + 1);
    BigInteger bytes = new BigInteger(size.group(1)).shiftLeft(shift);
    if (bytes.bitLength() >= Long.SIZE) {
      throw new GresException(
          "size " + Check.quoted(text) + " is more than 2^63 - 1 bytes", "use a smaller size");
    }
    return bytes.longValueExact();
  }

  /**
   * Reads a size or a percentage of a whole, rounded down.
   *
   * @param wholeBytes the bytes that 100% stands for, at least 0
   * @return bytes, at least 0
   * @throws GresException if it is neither, or the percentage is not 0 to 100
   */
  public static long parseBytes(String text, long wholeBytes) {
    if (text.indexOf('%') < 0) {
      return parseBytes(text);
    }
    Matcher percent = PERCENT.matcher(text);
    int value = percent.matches() ? Integer.parseInt(percent.group(1)) : -1;
    if (value < 0 || value > ALL_PERCENT) {
      throw notASize(text, "use a percentage from 0% to 100%, without a fraction");
    }
    return BigInteger.valueOf(wholeBytes)
        .multiply(BigInteger.valueOf(value))
        .divide(BigInteger.valueOf(ALL_PERCENT))
        .longValueExact();
  }

  /** Formats bytes for people: GiB with one decimal, {@code 4.7 GiB}. */
  public static String format(long bytes) {
    return String.format(Locale.ROOT, "%.1f GiB", bytes / GIB);
  }

  private static GresException notASize(String text, String action) {
    return new GresException("size " + Check.quoted(text) + " cannot be read", action);
  }
}
