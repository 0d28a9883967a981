package org.schedgpu.gres.common;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The terminal of this process: whether there is one, its width, and questions to its user. */
public final class Terminal {
  /** Set by the launcher, which can see whether stdout is a terminal. */
  private static final String OUTPUT = "schedgpu.terminal";

  private Terminal() {}

  public static boolean isOutput() {
    return Boolean.getBoolean(OUTPUT);
  }

  /** The number of columns that output may have. */
  static int columns() {
    return isOutput() ? Width.COLUMNS : Integer.MAX_VALUE;
  }

  /** Read once, when the width is first needed. */
  private static final class Width {
    private static final Pattern SIZE = Pattern.compile("[0-9]+ ([1-9][0-9]{0,4})\\s*");
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    static final int COLUMNS = known();

    private static int known() {
      String variable = System.getenv().getOrDefault("COLUMNS", "");
      if (variable.matches("[1-9][0-9]{0,4}")) {
        return Integer.parseInt(variable);
      }
      Matcher size = SIZE.matcher(asked());
      return size.matches() ? Integer.parseInt(size.group(1)) : TextTable.MAX_COLUMNS;
    }

    private static String asked() {
      try {
        return Subprocess.of("stty", "size").input(Path.of("/dev/tty")).run(PATIENCE).out();
      } catch (IOException e) {
        return "";
      }
    }
  }

  /**
   * Asks whether to begin.
   *
   * @throws GresException if standard input is not a terminal
   */
  public static boolean agrees(PrintWriter out, String question) {
    if (!isInput()) {
      throw new GresException(
          "cannot ask whether to begin (standard input is not a terminal)", "repeat with --yes");
    }
    out.print(question + " [y/N] ");
    out.flush();
    try {
      String answer =
          new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
      return answer != null && answer.strip().matches("(?i)y(es)?");
    } catch (IOException e) {
      throw new GresException(
          "no answer can be read (" + IoReason.of(e) + ")", "repeat with --yes", e);
    }
  }

  private static boolean isInput() {
    try {
      String input = Path.of("/proc/self/fd/0").toRealPath().toString();
      return input.matches("/dev/(pts/.+|tty.*|console)");
    } catch (IOException e) {
      return false;
    }
  }
}
