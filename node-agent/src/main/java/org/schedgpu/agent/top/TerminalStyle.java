package org.schedgpu.agent.top;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jline.utils.AttributedStyle;

/** Characters and colours that the terminal can show. */
public enum TerminalStyle {
  UNICODE("\u2588", "\u2593", "\u2592", "\u2591"),
  ASCII("#", "=", "+", ".");

  static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
  static final AttributedStyle BOLD = PLAIN.bold();
  static final AttributedStyle QUIET = PLAIN.faint();
  static final AttributedStyle BAR = PLAIN.inverse();
  static final AttributedStyle IN_USE = PLAIN.foreground(AttributedStyle.GREEN);
  static final AttributedStyle IDLE = PLAIN.foreground(AttributedStyle.YELLOW);
  static final AttributedStyle OTHER = PLAIN.foreground(AttributedStyle.MAGENTA);
  static final AttributedStyle WAITS = PLAIN.foreground(AttributedStyle.YELLOW);
  static final AttributedStyle WHEN = PLAIN.foreground(AttributedStyle.CYAN);
  static final AttributedStyle PROBLEM = PLAIN.foreground(AttributedStyle.RED);

  final String inUse;
  final String idle;
  final String other;
  final String free;

  TerminalStyle(String inUse, String idle, String other, String free) {
    this.inUse = inUse;
    this.idle = idle;
    this.other = other;
    this.free = free;
  }

  /** From LC_ALL, LC_CTYPE and LANG, in the usual order. */
  public static TerminalStyle of(Map<String, String> environment) {
    for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
      String value = environment.getOrDefault(name, "");
      if (!value.isEmpty()) {
        return isUtf8(value) ? UNICODE : ASCII;
      }
    }
    return ASCII;
  }

  /** The character set for text. */
  public Charset charset() {
    return this == UNICODE ? StandardCharsets.UTF_8 : StandardCharsets.US_ASCII;
  }

  private static boolean isUtf8(String locale) {
    String upper = locale.toUpperCase(Locale.ROOT);
    return upper.contains("UTF-8") || upper.contains("UTF8");
  }
}
