package org.schedgpu.gres.conf;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects changes to one file. A line is named by the line object of the unchanged file, and each
 * line is changed on its own; all other bytes stay. Not thread-safe.
 */
public final class ConfEdit {
  private final ConfFile file;
  private final Map<ConfLine, String> changed = new HashMap<>();
  private final Map<ConfLine, List<String>> inserted = new HashMap<>();
  private final List<String> first = new ArrayList<>();
  private int extraLines;

  ConfEdit(ConfFile file) {
    this.file = file;
  }

  /** Sets the value of a key; adds the key at the end of the line if the line lacks it. */
  public ConfEdit set(ConfLine line, String key, String value) {
    changed.put(requireOurs(line), LineEdit.set(current(line), key, value));
    return this;
  }

  /** Removes a key and its value; does nothing if the line lacks it. */
  public ConfEdit remove(ConfLine line, String key) {
    changed.put(requireOurs(line), LineEdit.remove(current(line), key));
    return this;
  }

  /**
   * Replaces one line by several. Each is a copy of the whole line, with its comment, and with
   * other values.
   *
   * @param values for each new line the values that differ from the original line
   */
  public ConfEdit split(ConfLine line, List<Map<String, String>> values) {
    List<String> parts = new ArrayList<>();
    for (Map<String, String> part : values) {
      String text = current(line).raw();
      for (Map.Entry<String, String> pair : part.entrySet()) {
        text = LineEdit.set(parsed(text, line), pair.getKey(), pair.getValue());
      }
      parts.add(text);
    }
    String between = line.lineEnd().isEmpty() ? lineEnd() : "";
    changed.put(requireOurs(line), String.join(between, parts));
    extraLines += parts.size() - 1;
    return this;
  }

  /** Removes a whole line, with its comment. */
  public ConfEdit removeLine(ConfLine line) {
    changed.put(requireOurs(line), "");
    return this;
  }

  /** Removes a line; a comment at its end stays as a line of its own. */
  public ConfEdit removeButComment(ConfLine line) {
    changed.put(requireOurs(line), line.comment());
    return this;
  }

  /** Puts text before the line's first key. */
  public ConfEdit prepend(ConfLine line, String text) {
    String now = current(requireOurs(line)).raw();
    int start = now.length() - now.stripLeading().length();
    changed.put(line, now.substring(0, start) + text + now.substring(start));
    return this;
  }

  /** Inserts a new line after another one, after lines that were inserted there earlier. */
  public ConfEdit insertAfter(ConfLine line, String text) {
    inserted.computeIfAbsent(requireOurs(line), l -> new ArrayList<>()).add(requireLine(text));
    return this;
  }

  /** Adds a new last line. */
  public ConfEdit append(String text) {
    List<ConfLine> lines = file.lines();
    if (!lines.isEmpty()) {
      return insertAfter(lines.get(lines.size() - 1), text);
    }
    first.add(requireLine(text));
    return this;
  }

  /**
   * The file with the changes.
   *
   * @throws org.schedgpu.gres.common.GresException if Slurm would not read the new lines as
   *     separate lines
   */
  public ConfFile result() {
    StringBuilder text = new StringBuilder();
    first.forEach(line -> text.append(line).append('\n'));
    int lineCount = first.size() + extraLines;
    for (ConfLine line : file.lines()) {
      String now = changed.getOrDefault(line, line.raw());
      text.append(now);
      lineCount += now.isEmpty() ? 0 : 1;
      for (String more : inserted.getOrDefault(line, List.of())) {
        append(text, more);
        lineCount++;
      }
    }
    withoutLastLineEnd(text);
    byte[] bytes = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    ConfFile result = ConfFile.parse(file.path(), bytes);
    if (result.lines().size() != lineCount) {
      throw new Place(file.path(), file.lines().size())
          .error("the last line is continued with a backslash", "take the backslash out first");
    }
    return result;
  }

  /** A file without a final line end keeps that when lines after its last line are replaced. */
  private void withoutLastLineEnd(StringBuilder text) {
    List<ConfLine> lines = file.lines();
    ConfLine last = lines.isEmpty() ? null : lines.get(lines.size() - 1);
    String end = lineEnd();
    boolean isOpen = last != null && last.lineEnd().isEmpty() && inserted.containsKey(last);
    if (isOpen
        && text.length() >= end.length()
        && text.substring(text.length() - end.length()).equals(end)) {
      text.setLength(text.length() - end.length());
    }
  }

  /**
   * If the last line has no line end, the new line becomes the last line without one. New lines end
   * as the first line of the file does, so that the same text is written when a block replaces
   * itself.
   */
  private void append(StringBuilder text, String more) {
    boolean open = text.length() > 0 && text.charAt(text.length() - 1) != '\n';
    text.append(open ? lineEnd() + more : more + lineEnd());
  }

  /** The line end of the first line that stays, which the next edit will find again. */
  private String lineEnd() {
    List<ConfLine> lines = file.lines();
    return lines.stream()
        .filter(line -> !"".equals(changed.get(line)))
        .findFirst()
        .or(() -> lines.stream().findFirst())
        .map(ConfLine::lineEnd)
        .filter(end -> !end.isEmpty())
        .orElse("\n");
  }

  private ConfLine current(ConfLine line) {
    String now = changed.get(line);
    return now == null ? line : parsed(now, line);
  }

  private static ConfLine parsed(String text, ConfLine line) {
    return ConfLine.of(LogicalLine.split(text).get(0), line.place());
  }

  private ConfLine requireOurs(ConfLine line) {
    if (line.place().file() != file.path()) {
      throw new IllegalArgumentException(line.place() + " is not of " + file.path());
    }
    return line;
  }

  private static String requireLine(String text) {
    List<LogicalLine> lines = LogicalLine.split(text + "\n");
    if (lines.size() != 1 || text.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("not one line: " + text);
    }
    return text;
  }
}
