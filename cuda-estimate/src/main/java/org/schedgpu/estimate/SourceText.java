package org.schedgpu.estimate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads sources, and turns CUDA into C++: blanks replace the launch configuration of kernels. */
final class SourceText {
  /** Larger files are refused: the parser needs about 100 bytes of memory for one of source. */
  static final int MAX_BYTES = 2 * 1024 * 1024;

  /**
   * More deeply nested code is refused, because the parser's time grows with the square of the
   * depth, or faster.
   */
  private static final int MAX_DEPTH = 100;

  private SourceText() {}

  /**
   * The text of a file, with the same line numbers.
   *
   * @throws SourceProblem if it cannot be read, is too large, or contains bytes that are not text
   */
  static String read(Path file) {
    byte[] bytes;
    if (!Files.exists(file)) {
      throw new SourceProblem(file + ": no such file");
    }
    if (!Files.isRegularFile(file)) {
      throw new SourceProblem(file + ": not a file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    } catch (IOException problem) {
      throw new SourceProblem(file + ": cannot be read: check its mode", problem);
    }
    if (bytes.length > MAX_BYTES) {
      throw new SourceProblem(
          file + ": larger than " + (MAX_BYTES >> 20) + " MiB: name only files that allocate");
    }
    for (byte one : bytes) {
      if (one == 0) {
        throw new SourceProblem(file + ": contains a zero byte: it is not a source file");
      }
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (depth(text) > MAX_DEPTH) {
      throw new SourceProblem(file + ": brackets are nested deeper than " + MAX_DEPTH);
    }
    return withoutLaunches(text);
  }

  /** The same text with blanks in place of each {@code <<<...>>>} outside strings and comments. */
  static String withoutLaunches(String text) {
    StringBuilder result = new StringBuilder(text);
    int at = 0;
    while (at < text.length()) {
      int next = afterTextOrComment(text, at);
      if (next > at) {
        at = next;
      } else if (text.startsWith("<<<", at) && endOfLaunch(text, at) > 0) {
        int end = endOfLaunch(text, at);
        blank(result, at, end);
        at = end;
      } else {
        at++;
      }
    }
    return result.toString();
  }

  /** The largest number of open brackets, outside strings and comments. */
  static int depth(String text) {
    int depth = 0;
    int deepest = 0;
    int at = 0;
    while (at < text.length()) {
      int next = afterTextOrComment(text, at);
      if (next > at) {
        at = next;
        continue;
      }
      char c = text.charAt(at++);
      if (c == '(' || c == '[' || c == '{') {
        deepest = Math.max(deepest, ++depth);
      } else if (c == ')' || c == ']' || c == '}') {
        depth--;
      }
    }
    return deepest;
  }

  /**
   * The position behind a string, character or comment that begins there; the same position if none
   * does.
   */
  private static int afterTextOrComment(String text, int at) {
    if (text.startsWith("//", at)) {
      return behind(text, "\n", at);
    }
    if (text.startsWith("/*", at)) {
      return behind(text, "*/", at + 2);
    }
    char quote = text.charAt(at);
    boolean isSeparator = quote == '\'' && at > 0 && Character.isLetterOrDigit(text.charAt(at - 1));
    return quote == '"' || (quote == '\'' && !isSeparator) ? afterQuote(text, at, quote) : at;
  }

  private static int afterQuote(String text, int at, char quote) {
    for (int i = at + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
      } else if (c == quote || c == '\n') {
        return i + 1;
      }
    }
    return text.length();
  }

  private static int behind(String text, String end, int from) {
    int found = text.indexOf(end, from);
    return found < 0 ? text.length() : found + end.length();
  }

  /** The position behind {@code >>>}; 0 if a statement ends before it. */
  private static int endOfLaunch(String text, int at) {
    int end = text.indexOf(">>>", at);
    int statement = text.indexOf(';', at);
    return end < 0 || (statement >= 0 && statement < end) ? 0 : end + 3;
  }

  private static void blank(StringBuilder text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) != '\n') {
        text.setCharAt(i, ' ');
      }
    }
  }
}
