package org.schedgpu.gres.conf;

/** Characters as C's own locale has them, in which the daemons read; Java's tests know others. */
final class Spaces {
  private Spaces() {}

  /** isspace(3). */
  static boolean isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  /** Nothing but blanks from here to the end. */
  static boolean onlySpace(String text, int from) {
    return skip(text, from) == text.length();
  }

  /** The first place from here that is no blank. */
  static int skip(String text, int from) {
    int at = from;
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** The first place from here that is a blank. */
  static int skipWord(String text, int from) {
    int at = from;
    while (at < text.length() && !isSpace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** The text for a message: on one line, not too long. */
  static String shown(String text) {
    String line = text.strip().replaceAll("\\p{Cntrl}+", " ");
    return "'" + (line.length() > 60 ? line.substring(0, 57) + "..." : line) + "'";
  }
}
