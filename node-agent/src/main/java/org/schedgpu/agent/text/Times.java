package org.schedgpu.agent.text;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.schedgpu.jna.Units;

/** Times of day as users write them on a command line. */
public final class Times {
  private Times() {}

  /**
   * A time in the past, in nanoseconds since 1970: an age ({@code 2h}, {@code 30d}), a day, or a
   * day and a time. Empty if it is none of them.
   */
  public static OptionalLong pastNs(String text, long nowMs, ZoneId zone) {
    OptionalLong ago = text.isEmpty() ? OptionalLong.empty() : Units.timeNs(text);
    if (ago.isPresent()) {
      long nowNs = TimeUnit.MILLISECONDS.toNanos(nowMs);
      return ago.getAsLong() < 0 ? OptionalLong.of(0) : OptionalLong.of(nowNs - ago.getAsLong());
    }
    Optional<Instant> moment = moment(text, zone);
    return moment.isPresent()
        ? OptionalLong.of(TimeUnit.SECONDS.toNanos(moment.get().getEpochSecond()))
        : OptionalLong.empty();
  }

  private static Optional<Instant> moment(String text, ZoneId zone) {
    try {
      return Optional.of(
          text.contains("T")
              ? LocalDateTime.parse(text).atZone(zone).toInstant()
              : LocalDate.parse(text).atStartOfDay(zone).toInstant());
    } catch (DateTimeException none) {
      return Optional.empty();
    }
  }
}
