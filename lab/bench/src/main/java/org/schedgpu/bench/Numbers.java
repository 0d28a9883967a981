package org.schedgpu.bench;

import java.util.Locale;

/** Numbers as text for people. */
final class Numbers {
  private Numbers() {}

  /** Three significant digits, and at most two after the point. */
  static String shortened(double value) {
    if (value >= 100) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.3f", value);
  }

  /** Without needless digits: 2, 1.3. */
  static String plain(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : Double.toString(value);
  }

  /** For the JSON file: four digits after the point. */
  static double rounded(double value) {
    return Math.round(value * 10_000) / 10_000.0;
  }
}
