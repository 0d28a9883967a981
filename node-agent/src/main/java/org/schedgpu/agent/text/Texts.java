package org.schedgpu.agent.text;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.Printable;

/** Small functions that several commands use to read or print texts. */
public final class Texts {
  private static final long GIB = 1L << 30;
  private static final double MIB = 1L << 20;

  private Texts() {}

  /** The lines of a file: only a line feed ends a line. */
  public static List<String> lines(Path file) {
    String text = new String(bytes(file), StandardCharsets.UTF_8);
    return text.isEmpty() ? List.of() : List.of(text.split("\n"));
  }

  /** The content of a file that must exist, as a configuration file. */
  public static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException missing) {
      throw new AgentException(file + ": there is no such file: check the path", missing);
    } catch (AccessDeniedException denied) {
      throw new AgentException(file + ": may not be read: try as root", denied);
    } catch (IOException problem) {
      throw new AgentException(file + ": cannot be read (" + problem.getMessage() + ")", problem);
    }
  }

  /** GiB with one decimal, without the unit. */
  public static String gib(long bytes) {
    if (bytes < 0 || bytes > Long.MAX_VALUE / 16) {
      return String.format(Locale.ROOT, "%.1f", (double) bytes / GIB);
    }
    long tenths =
        (bytes * 10 + GIB / 2) / GIB; // a formatter would take as long as everything else together
    return tenths / 10 + "." + tenths % 10;
  }

  /** {@code 64 MiB}, {@code 1.2 GiB}. */
  public static String size(long bytes) {
    return bytes < 1L << 30
        ? String.format(Locale.ROOT, "%.0f MiB", bytes / MIB)
        : gib(bytes) + " GiB";
  }

  /** Lines of at most this width, broken between words. */
  public static List<String> wrap(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : Printable.of(text).split(" ", -1)) {
      if (line.length() > 0 && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  /** {@code 0s}, {@code 3m05s}, {@code 2h03m}, {@code 4d02h}. */
  public static String duration(long ns) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(Math.max(0, ns));
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3600) {
      return pair(seconds / 60, "m", seconds % 60, "s");
    }
    if (seconds < 86_400) {
      return pair(seconds / 3600, "h", seconds / 60 % 60, "m");
    }
    return pair(seconds / 86_400, "d", seconds / 3600 % 24, "h");
  }

  private static String pair(long big, String bigUnit, long small, String smallUnit) {
    return big + bigUnit + (small < 10 ? "0" : "") + small + smallUnit;
  }

  /** {@code 1 job}, {@code 2 jobs}. */
  public static String count(long number, String one, String many) {
    return number + " " + (number == 1 ? one : many);
  }

  /** {@link Printable}, at most this many characters; a plus ends a shortened text. */
  public static String cut(String value, int width) {
    String safe = Printable.of(value);
    return safe.length() <= width ? safe : safe.substring(0, Math.max(0, width - 1)) + "+";
  }
}
