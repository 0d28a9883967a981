package org.schedgpu.charts;

/**
 * Builds the text of an HTML page with or beside pictures. Any text that this program did not write
 * goes through {@link #text}. Not safe for several threads.
 */
public final class Html {
  private final StringBuilder page = new StringBuilder();

  /** Markup of ours. */
  public Html raw(String markup) {
    page.append(markup);
    return this;
  }

  /** Any text, escaped. */
  public Html text(String anything) {
    page.append(escaped(anything));
    return this;
  }

  /** A number. */
  public Html text(long number) {
    page.append(number);
    return this;
  }

  /** A name that a user chose: its writing direction does not affect the text after it. */
  public Html name(String anything) {
    return raw("<bdi>").text(anything).raw("</bdi>");
  }

  /** Suitable as content of an element, and within quotes as an attribute. */
  public static String escaped(String anything) {
    StringBuilder safe = new StringBuilder(anything.length());
    anything
        .codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> safe.append("&amp;");
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> safe.appendCodePoint(shown(c));
              }
            });
    return safe.toString();
  }

  /** Control characters and unpaired surrogates are not allowed in a page. */
  private static int shown(int c) {
    boolean odd = Character.isISOControl(c) && c != '\n' && c != '\t';
    return odd || Character.getType(c) == Character.SURROGATE ? '\uFFFD' : c;
  }

  @Override
  public String toString() {
    return page.toString();
  }
}
