package org.schedgpu.agent.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.schedgpu.jna.Printable;

/**
 * One line for each message. For the journal, which stores the time itself, it begins with the
 * priority ({@code <4>}, see sd-daemon(3)); otherwise with time and level. Users choose names of
 * programs and users: a character in them that could begin a line or move the cursor becomes a
 * question mark.
 */
public final class LogFormat extends Formatter {
  /** The priority prefix of an error that reaches the journal without this format. */
  public static final String ERROR = "<3>";

  private final boolean journal;

  /**
   * The format of one handler.
   *
   * @param journal true: with priorities for the journal, and without time and level
   */
  public LogFormat(boolean journal) {
    this.journal = journal;
  }

  @Override
  public String format(LogRecord message) {
    StringBuilder text = new StringBuilder(line(message, formatMessage(message)));
    if (message.getThrown() != null) {
      trace(message.getThrown()).lines().forEach(each -> text.append(line(message, each)));
    }
    return text.toString();
  }

  private String line(LogRecord message, String text) {
    String clean = Printable.of(text.replace('\t', ' '));
    return journal
        ? "<%d>%s\n".formatted(priority(message.getLevel()), clean)
        : "%s %-7s %s\n".formatted(time(message.getInstant()), name(message.getLevel()), clean);
  }

  private static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  private static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }

  /** syslog(3). */
  private static int priority(Level level) {
    if (level.intValue() >= Level.SEVERE.intValue()) {
      return 3;
    }
    if (level.intValue() >= Level.WARNING.intValue()) {
      return 4;
    }
    return level.intValue() >= Level.INFO.intValue() ? 6 : 7;
  }

  private static String name(Level level) {
    return switch (priority(level)) {
      case 3 -> "error";
      case 4 -> "warning";
      case 6 -> "info";
      default -> "debug";
    };
  }
}
