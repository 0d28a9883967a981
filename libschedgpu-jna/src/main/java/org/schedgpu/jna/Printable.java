package org.schedgpu.jna;

/**
 * Makes texts that users choose, such as names of jobs, users and programs, safe for a terminal or
 * a log line. Thread-safe.
 */
public final class Printable {
  private static final char MARK = '?';

  /** Java's replacement for bytes that are no text. */
  private static final char REPLACEMENT = '\uFFFD';

  private Printable() {}

  /**
   * The text with a question mark for each character that ends a line, moves the cursor, changes
   * the writing direction or is invisible.
   */
  public static String of(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isAscii(text.charAt(i))) {
        return text.codePoints()
            .map(c -> isSafe(c) ? c : MARK)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
      }
    }
    return text;
  }

  /** The characters of nearly all texts, recognised with one comparison each. */
  private static boolean isAscii(char c) {
    return c >= ' ' && c < 0x7f;
  }

  private static boolean isSafe(int codePoint) {
    return codePoint != REPLACEMENT
        && Character.getType(codePoint) != Character.SURROGATE
        && !steers(codePoint);
  }

  /**
   * True if a terminal obeys or hides a character. Such characters also exist above ASCII: U+009B
   * begins an escape sequence as ESC does.
   */
  public static boolean steers(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
