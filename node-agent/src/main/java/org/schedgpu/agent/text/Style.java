package org.schedgpu.agent.text;

import java.util.Map;

/** Bold and red text, if the output is a terminal that supports them. */
public final class Style {
  /** Set by the launcher, which knows what stdout is. */
  private static final String TERMINAL = "schedgpu.terminal";

  private static final String BOLD = "\u001b[1m";
  private static final String RED = "\u001b[31m";
  private static final String PLAIN = "\u001b[0m";

  private final boolean on;

  /**
   * The style of an output.
   *
   * @param on false: all text stays plain
   */
  public Style(boolean on) {
    this.on = on;
  }

  /** Colours on a terminal, unless NO_COLOR is set (no-color.org) or the terminal is dumb. */
  public static Style ofTerminal() {
    return of(isTerminal(), System.getenv());
  }

  /** True if stdout is a terminal. */
  public static boolean isTerminal() {
    return Boolean.getBoolean(TERMINAL);
  }

  /**
   * The same for a given environment.
   *
   * @param terminal true if the output is a terminal
   */
  public static Style of(boolean terminal, Map<String, String> environment) {
    boolean unwanted = !environment.getOrDefault("NO_COLOR", "").isEmpty();
    return new Style(terminal && !unwanted && !"dumb".equals(environment.get("TERM")));
  }

  /** False if it is plain. */
  public boolean isOn() {
    return on;
  }

  /** The text to be read first. */
  public String bold(String text) {
    return on ? BOLD + text + PLAIN : text;
  }

  /** What is wrong. */
  public String red(String text) {
    return on ? RED + text + PLAIN : text;
  }
}
