package org.schedgpu.agent.top;

import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Printable;

/** Texts in columns. */
final class Cells {
  private Cells() {}

  /** Shortened or filled up on the right. */
  static String left(String text, int width) {
    return pad(cut(text, width), width);
  }

  /** Shortened or filled up on the left. */
  static String right(String text, int width) {
    String cut = cut(text, width);
    return " ".repeat(Math.max(0, width - columns(cut))) + cut;
  }

  /** A plus ends a shortened text. */
  static String cut(String text, int width) {
    AttributedString clean = new AttributedString(Printable.of(text));
    return clean.columnLength() <= width
        ? clean.toString()
        : clean.columnSubSequence(0, Math.max(0, width - 1)) + (width > 0 ? "+" : "");
  }

  static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - columns(text)));
  }

  private static int columns(String text) {
    return new AttributedString(text).columnLength();
  }

  /** Adds text at the right margin, if there is room for it. */
  static AttributedString right(AttributedString line, String more, int width) {
    int room = width - line.columnLength() - more.length();
    AttributedStringBuilder whole = new AttributedStringBuilder().append(line);
    if (room > 0) {
      whole.append(" ".repeat(room)).append(more);
    }
    return whole.toAttributedString();
  }

  static String gib(long bytes) {
    return Texts.gib(bytes);
  }
}
