package org.schedgpu.agent.report;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.schedgpu.agent.text.Texts;

/** Numbers as text for people. */
final class NumberText {
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);
  private static final double GIB = 1L << 30;
  private static final double HOUR_NS = 3600e9;
  private static final long SECOND_NS = 1_000_000_000L;

  private NumberText() {}

  /** {@code 2026-11-22 14:05}. */
  static String moment(long timeNs, String timeZone) {
    return MOMENT.format(
        Instant.ofEpochSecond(Math.floorDiv(timeNs, SECOND_NS)).atZone(ZoneId.of(timeZone)));
  }

  static String duration(long ns) {
    return Texts.duration(ns);
  }

  static String size(long bytes) {
    return Texts.size(bytes);
  }

  /** {@code 12.5 h}; less than an hour as a duration. */
  static String hours(long ns) {
    if (ns < HOUR_NS) {
      return duration(ns);
    }
    return String.format(Locale.ROOT, "%,.1f h", ns / HOUR_NS);
  }

  /** Of GiB × hours, a number. */
  static String gibHours(long byteHours) {
    return String.format(Locale.ROOT, "%,.0f", byteHours / GIB);
  }

  /** {@code 12,345}. */
  static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  static String percent(Long percent) {
    return percent == null ? "unknown" : percent + " %";
  }

  /** {@code 1 job}, {@code 2 jobs}. */
  static String count(long count, String one, String many) {
    return number(count) + " " + (count == 1 ? one : many);
  }

  /** {@code 2.3}. */
  static String times(double factor) {
    return String.format(Locale.ROOT, factor < 10 ? "%.1f" : "%.0f", factor);
  }
}
