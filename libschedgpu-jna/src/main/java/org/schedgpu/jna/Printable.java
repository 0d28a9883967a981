package org.schedgpu.jna;

/**
 * Texts that somebody chose, such as names of jobs, users and programs, for a terminal or a line of
 * a log. Thread-safe.
 */
public final class Printable {
  private static final char MARK = '?';

  /** What bytes became that were no text. */
  private static final char REPLACEMENT = '\uFFFD';

  private Printable() {}

  /**
   * The text with a question mark for each character that ends a line, moves the cursor, turns the
   * direction of writing around or cannot be seen.
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

  /** What nearly all texts are made of: they cost one look at each character. */
  private static boolean isAscii(char c) {
    return c >= ' ' && c < 0x7f;
  }

  private static boolean isSafe(int codePoint) {
    return codePoint != REPLACEMENT
        && Character.getType(codePoint) != Character.SURROGATE
        && !steers(codePoint);
  }

  /**
   * Whether a terminal obeys a character, or hides it. That is so also above ASCII: U+009B begins
   * an escape sequence as ESC does.
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
