package org.schedgpu.gres.change;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines in which two texts differ, {@code -} before and {@code +} after, as {@code diff} prints
 * them.
 */
final class LineDiff {
  /**
   * Above this limit the lines of a changed part are not matched; a plan of 10,000 nodes has many
   * lines.
   */
  private static final long MAX_CELLS = 4_000_000;

  private final List<String> before;
  private final List<String> after;
  private final List<String> lines = new ArrayList<>();

  private LineDiff(List<String> before, List<String> after) {
    this.before = before;
    this.after = after;
  }

  /**
   * The lines that differ, one change after the other.
   *
   * @param maxLines maximum number of lines; one more line then says how many follow
   * @return empty if the bytes are the same
   */
  static String of(byte[] before, byte[] after, int maxLines) {
    LineDiff diff = new LineDiff(lines(before), lines(after));
    diff.compare();
    StringBuilder text = new StringBuilder();
    diff.lines.stream().limit(maxLines).forEach(line -> text.append(line).append('\n'));
    int more = diff.lines.size() - maxLines;
    if (more > 0) {
      text.append("... ").append(more).append(" more lines\n");
    }
    return text.toString();
  }

  /** A line keeps its line feed, so that a missing one at the end of the file is a difference. */
  private static List<String> lines(byte[] content) {
    String text = new String(content, StandardCharsets.UTF_8);
    List<String> lines = new ArrayList<>();
    for (int start = 0; start < text.length(); ) {
      int feed = text.indexOf('\n', start);
      int end = feed < 0 ? text.length() : feed;
      String line = text.substring(start, end).replaceAll("[\\p{Cntrl}&&[^\t]]", "?");
      lines.add(feed < 0 ? line + "  (no line feed)" : line);
      start = end + 1;
    }
    return lines;
  }

  private void compare() {
    int start = 0;
    int endBefore = before.size();
    int endAfter = after.size();
    while (start < Math.min(endBefore, endAfter) && before.get(start).equals(after.get(start))) {
      start++;
    }
    while (Math.min(endBefore, endAfter) > start
        && before.get(endBefore - 1).equals(after.get(endAfter - 1))) {
      endBefore--;
      endAfter--;
    }
    List<String> old = before.subList(start, endBefore);
    List<String> fresh = after.subList(start, endAfter);
    if (!old.isEmpty() || !fresh.isEmpty()) {
      lines.add("@@ line " + (start + 1) + " @@");
    }
    if ((long) old.size() * fresh.size() > MAX_CELLS) {
      old.forEach(line -> lines.add("-" + line));
      fresh.forEach(line -> lines.add("+" + line));
    } else {
      match(old, fresh);
    }
  }

  /** Lines that both texts have in the same order are not printed. */
  private void match(List<String> old, List<String> fresh) {
    int[][] common = new int[old.size() + 1][fresh.size() + 1];
    for (int i = old.size() - 1; i >= 0; i--) {
      for (int j = fresh.size() - 1; j >= 0; j--) {
        common[i][j] =
            old.get(i).equals(fresh.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    int i = 0;
    int j = 0;
    while (i < old.size() || j < fresh.size()) {
      if (i < old.size() && j < fresh.size() && old.get(i).equals(fresh.get(j))) {
        i++;
        j++;
      } else if (i < old.size() && (j == fresh.size() || common[i + 1][j] >= common[i][j + 1])) {
        lines.add("-" + old.get(i++));
      } else {
        lines.add("+" + fresh.get(j++));
      }
    }
  }
}
