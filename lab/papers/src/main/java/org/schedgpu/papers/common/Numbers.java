package org.schedgpu.papers.common;

import java.util.Locale;

/** How numbers are written: the same everywhere, whatever the language of the machine. */
public final class Numbers {
  private Numbers() {}

  /** With commas between thousands. */
  public static String plain(double value, int digits) {
    String text = String.format(Locale.ROOT, "%,." + digits + "f", value);
    return text.matches("-[0.]+") ? text.substring(1) : text;
  }

  /** With its sign. */
  public static String signed(double value, int digits) {
    String text = plain(value, digits);
    return value < 0 || text.matches("[0.]+") ? text : "+" + text;
  }

  /** A difference in percent, with its sign and one decimal. */
  public static String percent(double value) {
    return signed(value, 1) + " %";
  }

  /** A mean and the standard deviation of what it is the mean of. */
  public static String spread(Spread spread, int digits) {
    return plain(spread.mean(), digits) + " ± " + plain(spread.deviation(), digits);
  }
}
