package org.schedgpu.gres;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;

/** Whether a person is there, and what they answer. */
final class Terminal {
  /** Set by the launcher, which sees what stdout is. */
  private static final String OUTPUT = "schedgpu.terminal";

  private Terminal() {}

  static boolean isOutput() {
    return Boolean.getBoolean(OUTPUT);
  }

  /**
   * Asks before something is begun.
   *
   * @throws GresException if standard input is no terminal
   */
  static boolean agrees(PrintWriter out, String question) {
    if (!isInput()) {
      throw new GresException(
          "nobody can be asked whether to begin (standard input is no terminal)",
          "repeat with --yes");
    }
    out.print(question + " [y/N] ");
    out.flush();
    try {
      String answer =
          new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
      return answer != null && answer.strip().matches("(?i)y(es)?");
    } catch (IOException e) {
      throw new GresException("no answer can be read (" + e + ")", "repeat with --yes", e);
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
