package org.schedgpu.gres.conf;

import java.util.ArrayList;
import java.util.List;

/**
 * One line as Slurm assembles it: lines that end in a backslash are joined, text after a {@code #}
 * is cut, and a backslash before any other character is dropped. Each character of the result knows
 * its position in the file's own text.
 */
final class LogicalLine {
  private final String raw;
  private final int firstLine;
  private final String seen;

  /** Null if every character has the same position in both texts, as in most lines. */
  private final int[] starts;

  private final int[] ends;

  private LogicalLine(String raw, int firstLine, int[] rawIndexes, int count) {
    this.raw = raw;
    this.firstLine = firstLine;
    this.starts = new int[count];
    this.ends = new int[count];
    this.seen = dropEscapes(rawIndexes, count);
  }

  /** A line without a backslash. */
  private LogicalLine(String raw, int firstLine) {
    int comment = raw.indexOf('#');
    this.raw = raw;
    this.firstLine = firstLine;
    this.starts = null;
    this.ends = null;
    this.seen = comment < 0 ? raw : raw.substring(0, comment);
  }

  /** Splits a whole file into lines; joined together they are the file. */
  static List<LogicalLine> split(String text) {
    List<LogicalLine> lines = new ArrayList<>();
    int lineNumber = 1;
    for (int start = 0; start < text.length(); ) {
      LogicalLine line = at(text, start, lineNumber);
      lines.add(line);
      start += line.raw.length();
      lineNumber += (int) line.raw.chars().filter(c -> c == '\n').count();
    }
    return lines;
  }

  private static LogicalLine at(String text, int start, int lineNumber) {
    int first = lineEnd(text, start);
    String line = text.substring(start, first);
    return line.indexOf('\\') < 0
        ? new LogicalLine(line, lineNumber)
        : joined(text, start, lineNumber);
  }

  private static LogicalLine joined(String text, int start, int lineNumber) {
    int[] kept = new int[64];
    int count = 0;
    int end = start;
    boolean continued = true;
    while (continued && end < text.length()) {
      int from = end;
      end = lineEnd(text, from);
      int cut = comment(text, from, end);
      int stop = continuation(text, from, cut);
      continued = stop < cut;
      if (count + stop - from > kept.length) {
        kept = java.util.Arrays.copyOf(kept, 2 * (count + stop - from));
      }
      for (int i = from; i < stop; i++) {
        kept[count++] = i - start;
      }
    }
    return new LogicalLine(text.substring(start, end), lineNumber, kept, count);
  }

  private static int lineEnd(String text, int from) {
    int newLine = text.indexOf('\n', from);
    return newLine < 0 ? text.length() : newLine + 1;
  }

  /** The position of the first # after an even number of backslashes. Quotes do not protect it. */
  private static int comment(String text, int from, int end) {
    int backslashes = 0;
    for (int i = from; i < end; i++) {
      char c = text.charAt(i);
      if (c == '#' && backslashes % 2 == 0) {
        return i;
      }
      backslashes = c == '\\' ? backslashes + 1 : 0;
    }
    return end;
  }

  /**
   * The position of the last backslash, if their number is odd; blanks may follow it. Else the end.
   */
  private static int continuation(String text, int from, int end) {
    int last = end - 1;
    while (last >= from && Spaces.isSpace(text.charAt(last))) {
      last--;
    }
    int first = last;
    while (first >= from && text.charAt(first) == '\\') {
      first--;
    }
    return (last - first) % 2 == 1 ? last : end;
  }

  private String dropEscapes(int[] rawIndexes, int count) {
    StringBuilder text = new StringBuilder(count);
    for (int i = 0; i < count; i++) {
      int start = rawIndexes[i];
      boolean escape = raw.charAt(start) == '\\' && i + 1 < count;
      if (escape) {
        i++;
      }
      starts[text.length()] = start;
      ends[text.length()] = rawIndexes[i] + 1;
      text.append(raw.charAt(rawIndexes[i]));
    }
    return text.toString();
  }

  /** The text in the file, with line ends. */
  String raw() {
    return raw;
  }

  /** The comment at its end with the line end, as in the file; empty if there is none. */
  String comment() {
    return raw.substring(comment(raw, 0, raw.length()));
  }

  int firstLine() {
    return firstLine;
  }

  /** The text that Slurm sees; it may end in a line end. */
  String seen() {
    return seen;
  }

  /**
   * The position in {@link #raw} of a character of {@link #seen}, including a backslash before it.
   */
  int rawStart(int index) {
    return starts == null ? index : starts[index];
  }

  /** The position in {@link #raw} after a character of {@link #seen}. */
  int rawEnd(int index) {
    return ends == null ? index + 1 : ends[index];
  }
}
