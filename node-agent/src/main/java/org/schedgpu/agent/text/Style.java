package org.schedgpu.agent.text;

import java.util.Map;

/** Bold and red, where the output is a terminal that wants them. */
public final class Style {
  /** Set by the launcher, which sees what stdout is. */
  private static final String TERMINAL = "schedgpu.terminal";

  private static final String BOLD = "\u001b[1m";
  private static final String RED = "\u001b[31m";
  private static final String PLAIN = "\u001b[0m";

  private final boolean on;

  /**
   * Of an output.
   *
   * @param on false: all text stays as it is
   */
  public Style(boolean on) {
    this.on = on;
  }

  /** Colours on a terminal, unless NO_COLOR is set (no-color.org) or the terminal is dumb. */
  public static Style ofTerminal() {
    return of(isTerminal(), System.getenv());
  }

  /** Whether stdout is a terminal. */
  public static boolean isTerminal() {
    return Boolean.getBoolean(TERMINAL);
  }

  /**
   * The same, of an environment.
   *
   * @param terminal whether the output is one
   */
  public static Style of(boolean terminal, Map<String, String> environment) {
    boolean unwanted = !environment.getOrDefault("NO_COLOR", "").isEmpty();
    return new Style(terminal && !unwanted && !"dumb".equals(environment.get("TERM")));
  }

  /** Whether it is not plain. */
  public boolean isOn() {
    return on;
  }

  /** What is read first. */
  public String bold(String text) {
    return on ? BOLD + text + PLAIN : text;
  }

  /** What is wrong. */
  public String red(String text) {
    return on ? RED + text + PLAIN : text;
  }
}
