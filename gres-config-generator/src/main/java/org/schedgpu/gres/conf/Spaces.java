package org.schedgpu.gres.conf;

/**
 * Blanks as isspace(3) in the C locale knows them, in which the daemons read; Java's own methods
 * know others.
 */
final class Spaces {
  private Spaces() {}

  /** isspace(3). */
  static boolean isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  /** True if only blanks follow to the end. */
  static boolean onlySpace(String text, int from) {
    return skip(text, from) == text.length();
  }

  /** The position of the next character that is not a blank. */
  static int skip(String text, int from) {
    int at = from;
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** The position of the next blank. */
  static int skipWord(String text, int from) {
    int at = from;
    while (at < text.length() && !isSpace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** Quotes a text for a message, on one line and shortened. */
  static String shown(String text) {
    String line = text.strip().replaceAll("\\p{Cntrl}+", " ");
    return "'" + (line.length() > 60 ? line.substring(0, 57) + "..." : line) + "'";
  }
}
