package org.schedgpu.gres.rollout;

import java.io.PrintWriter;

/**
 * Prints messages and progress of a run. On a terminal, progress is one line that is rewritten;
 * otherwise a line is printed whenever the text changes. Not thread-safe.
 */
public final class Report {
  private static final String CLEAR = "\r\033[K";
  private static final int COLUMNS = 79;

  private final PrintWriter out;
  private final boolean terminal;
  private String shown = "";

  /**
   * @param terminal whether the output is a terminal
   */
  public Report(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Prints a permanent line; nothing if the text is empty. */
  public void line(String text) {
    if (!text.isEmpty()) {
      endProgress();
      out.println(text);
      out.flush();
    }
  }

  /**
   * Shows what the run waits for.
   *
   * @param seconds seconds since the wait began
   */
  void progress(String text, long seconds) {
    if (terminal) {
      String line = text + ", " + minutes(seconds);
      String fitting =
          line.length() > COLUMNS
              ? text.substring(0, Math.max(0, COLUMNS - minutes(seconds).length() - 5))
                  + "..., "
                  + minutes(seconds)
              : line;
      out.print(CLEAR + fitting);
      out.flush();
    } else if (!text.equals(shown)) {
      out.println(seconds < 1 ? text : text + ", after " + minutes(seconds));
      out.flush();
    }
    shown = text;
  }

  private void endProgress() {
    if (terminal && !shown.isEmpty()) {
      out.print(CLEAR);
    }
    shown = "";
  }

  static String minutes(long seconds) {
    return seconds < 60
        ? seconds + " s"
        : seconds < 3600
            ? "%d min %02d s".formatted(seconds / 60, seconds % 60)
            : "%d h %02d min".formatted(seconds / 3600, seconds % 3600 / 60);
  }
}
