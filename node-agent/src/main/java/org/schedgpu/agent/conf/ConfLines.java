package org.schedgpu.agent.conf;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.agent.problem.AgentException;

/**
 * The {@code Key=Value} syntax of schedgpu.conf and devices.conf: pairs separated by blanks, values
 * with blanks in quotes, {@code #} starts a comment. Collects every problem of a file.
 */
final class ConfLines {
  private final String place;
  private final List<Problem> problems = new ArrayList<>();

  /** One {@code Key=Value}. */
  record Pair(String key, String value) {}

  /** The pairs of one line. */
  record Line(int number, List<Pair> pairs) {}

  private record Problem(int line, String text) {}

  /**
   * @param place name of the file, for messages
   */
  ConfLines(String place) {
    this.place = place;
  }

  /** The lines that hold something; a NUL byte is a problem here, as for the hooks. */
  List<Line> read(List<String> text) {
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < text.size(); i++) {
      if (text.get(i).indexOf('\0') >= 0) {
        problem(i + 1, "a NUL byte: this is no text file");
        continue;
      }
      List<Pair> pairs = new LineReader(text.get(i), i + 1).pairs();
      if (!pairs.isEmpty()) {
        lines.add(new Line(i + 1, pairs));
      }
    }
    return lines;
  }

  /** Notes a problem of a line. */
  void problem(int line, String what) {
    problems.add(new Problem(line, place + ":" + line + ": " + what));
  }

  /** Notes a problem of the whole file, which no line alone has. */
  void problem(String what) {
    problems.add(new Problem(Integer.MAX_VALUE, place + ": " + what));
  }

  /** Notes a key that is not known, with the one that was probably meant. */
  void unknownKey(int line, String key, Collection<String> keys) {
    String hint = near(key, keys).map(near -> ": did you mean " + near + "?").orElse("");
    problem(line, "unknown key '" + key + "'" + hint);
  }

  /** Throws all problems in the order of the lines, if there was any. */
  void check() {
    if (!problems.isEmpty()) {
      problems.sort(Comparator.comparingInt(Problem::line));
      throw AgentException.of(problems.stream().map(Problem::text).toList());
    }
  }

  private static Optional<String> near(String key, Collection<String> keys) {
    String nearest = null;
    int least = key.length() / 3 + 2;
    for (String candidate : keys) {
      int distance = distance(key.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      if (distance < least) {
        least = distance;
        nearest = candidate;
      }
    }
    return Optional.ofNullable(nearest);
  }

  /** Edit distance (Levenshtein). */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int substitute = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substitute, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }

  /** No other character is one for the hooks. */
  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
  }

  /** Cuts a line into pairs. What is wrong ends the line: the rest of it cannot be trusted. */
  private final class LineReader {
    private final String text;
    private final int number;
    private int at;

    LineReader(String text, int number) {
      this.text = text;
      this.number = number;
    }

    List<Pair> pairs() {
      List<Pair> pairs = new ArrayList<>();
      while (true) {
        while (at < text.length() && isBlank(text.charAt(at))) {
          at++;
        }
        Optional<Pair> pair = atEnd() ? Optional.empty() : pair();
        if (pair.isEmpty()) {
          return pairs;
        }
        pairs.add(pair.get());
      }
    }

    private boolean atEnd() {
      return at == text.length() || text.charAt(at) == '#';
    }

    private boolean atEndOfWord() {
      return atEnd() || isBlank(text.charAt(at));
    }

    private Optional<Pair> pair() {
      int start = at;
      while (!atEndOfWord() && text.charAt(at) != '=') {
        at++;
      }
      String key = text.substring(start, at);
      if (atEndOfWord() || key.isEmpty()) {
        problem(number, "'" + key + "' is no Key=Value (a value with blanks needs \"quotes\")");
        return Optional.empty();
      }
      at++;
      Optional<String> value = value();
      return value.isPresent() ? Optional.of(new Pair(key, value.get())) : Optional.empty();
    }

    private Optional<String> value() {
      if (at < text.length() && text.charAt(at) == '"') {
        return quoted();
      }
      int start = at;
      while (!atEndOfWord()) {
        at++;
      }
      return Optional.of(text.substring(start, at));
    }

    private Optional<String> quoted() {
      int end = text.indexOf('"', at + 1);
      if (end < 0) {
        problem(number, text.substring(at) + ": the quote is never closed");
        return Optional.empty();
      }
      String value = text.substring(at + 1, end);
      at = end + 1;
      if (!atEndOfWord()) {
        problem(number, text.substring(end) + ": a blank is missing after the closing quote");
        return Optional.empty();
      }
      return Optional.of(value);
    }
  }
}
