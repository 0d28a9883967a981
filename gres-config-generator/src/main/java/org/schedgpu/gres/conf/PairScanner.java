package org.schedgpu.gres.conf;

import java.util.ArrayList;
import java.util.List;

/**
 * Scans a line of {@code Key=Value} pairs, with blanks allowed around the {@code =}. A quoted value
 * ends at the next quote if a blank or the end follows, else at the next blank. Slurm knows no
 * escaped quote.
 */
final class PairScanner {
  private final LogicalLine line;
  private final String text;
  private int at;

  private PairScanner(LogicalLine line) {
    this.line = line;
    this.text = line.seen();
  }

  /**
   * All pairs of the line.
   *
   * @param place the place to name in an error
   */
  static List<KeyValue> scan(LogicalLine line, Place place) {
    PairScanner scanner = new PairScanner(line);
    List<KeyValue> pairs = new ArrayList<>();
    while (!Spaces.onlySpace(scanner.text, scanner.at)) {
      pairs.add(scanner.next(place));
    }
    return pairs;
  }

  private KeyValue next(Place place) {
    int start = Spaces.skip(text, at);
    int keyEnd = start;
    while (keyEnd < text.length() && isKey(text.charAt(keyEnd))) {
      keyEnd++;
    }
    int sign = Spaces.skip(text, keyEnd);
    int equals = sign < text.length() && "-*+/".indexOf(text.charAt(sign)) >= 0 ? sign + 1 : sign;
    if (keyEnd == start || equals >= text.length() || text.charAt(equals) != '=') {
      throw noPair(place, start);
    }
    int valueStart = Spaces.skip(text, equals + 1);
    if (valueStart == text.length()) {
      throw place.error(
          "%s= has no value".formatted(text.substring(start, keyEnd)),
          "write a value, or take the key out; Slurm takes no empty value without quotes");
    }
    return pair(start, keyEnd, text.substring(sign, equals), valueStart);
  }

  private KeyValue pair(int start, int keyEnd, String operator, int valueStart) {
    int closing = closingQuote(valueStart);
    boolean quoted = closing > 0;
    at = quoted ? closing + 1 : Spaces.skipWord(text, valueStart);
    String value =
        quoted ? text.substring(valueStart + 1, closing) : text.substring(valueStart, at);
    return new KeyValue(
        text.substring(start, keyEnd),
        operator,
        value,
        quoted,
        line.rawStart(start),
        line.rawStart(valueStart),
        line.rawEnd(at - 1));
  }

  /** The position of the closing quote; 0 if the value is not quoted. */
  private int closingQuote(int valueStart) {
    if (text.charAt(valueStart) != '"') {
      return 0;
    }
    int closing = text.indexOf('"', valueStart + 1);
    boolean ends = closing + 1 == text.length() || Spaces.isSpace(text.charAt(closing + 1));
    return closing > 0 && ends ? closing : 0;
  }

  private org.schedgpu.gres.common.GresException noPair(Place place, int start) {
    String rest = Spaces.shown(text.substring(start));
    if (text.startsWith("\u00ef\u00bb\u00bf")) {
      return place.error("the file begins with a byte order mark", "save it without one");
    }
    if (text.indexOf('"') >= 0) {
      return place.error(
          "%s is not Key=Value, there is a quote without its partner".formatted(rest),
          "close the quote before a blank; a '#' ends the line even between quotes, write \\#");
    }
    return place.error(
        "%s is not Key=Value".formatted(rest),
        "put '#' before a comment, quotes around a value with blanks, or correct the line");
  }

  private static boolean isKey(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '.';
  }
}
