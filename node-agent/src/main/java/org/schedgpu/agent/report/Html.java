package org.schedgpu.agent.report;

/** Text of a page. What is not written by us goes through {@link #text}, without exception. */
final class Html {
  private final StringBuilder page = new StringBuilder();

  /** Markup of ours. */
  Html raw(String markup) {
    page.append(markup);
    return this;
  }

  /** Anything, shown as it is. */
  Html text(String anything) {
    page.append(escaped(anything));
    return this;
  }

  Html text(long number) {
    page.append(number);
    return this;
  }

  /** A name that somebody chose: its direction of writing does not reach beyond it. */
  Html name(String anything) {
    return raw("<bdi>").text(anything).raw("</bdi>");
  }

  /** As content of an element, and within quotes as an attribute. */
  static String escaped(String anything) {
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

  /** Control characters and halves of characters cannot be in a page. */
  private static int shown(int c) {
    boolean odd = Character.isISOControl(c) && c != '\n' && c != '\t';
    return odd || Character.getType(c) == Character.SURROGATE ? '\uFFFD' : c;
  }

  @Override
  public String toString() {
    return page.toString();
  }
}
