package org.schedgpu.agent.report;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.schedgpu.jna.Units;

/** Moments as users write them: {@code 24h} ago, {@code 2026-11-22}, {@code 2026-11-22T14:05}. */
public final class Moments {
  private static final long SECOND_NS = 1_000_000_000L;

  private Moments() {}

  /**
   * A moment, in ns since the epoch.
   *
   * @param option that was given, for the message
   * @throws ReportException if it is none
   */
  public static long parse(String option, String text, long nowNs, ZoneId zone) {
    if (text.equals("now")) {
      return nowNs;
    }
    if (text.matches("\\d{4}-.*")) {
      return date(option, text.replace(' ', 'T'), zone);
    }
    long ago = Units.timeNs(text).orElse(-1);
    if (ago < 0) {
      throw wrong(option, text);
    }
    return nowNs - ago;
  }

  private static long date(String option, String text, ZoneId zone) {
    try {
      ZonedDateTime moment =
          text.contains("T")
              ? LocalDateTime.parse(text).atZone(zone)
              : LocalDate.parse(text).atStartOfDay(zone);
      return moment.toEpochSecond() * SECOND_NS;
    } catch (DateTimeException problem) {
      throw wrong(option, text);
    }
  }

  private static ReportException wrong(String option, String text) {
    return new ReportException(
        option
            + " '"
            + text
            + "' is no moment: write how long ago (90m, 24h, 7d), a day (2026-11-22) or a time"
            + " (2026-11-22T14:05)");
  }
}
