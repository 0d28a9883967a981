package org.schedgpu.gres.change;

import com.github.difflib.patch.AbstractDelta;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines in which two texts differ, {@code -} before and {@code +} after, as {@code diff} prints
 * them.
 */
final class LineDiff {
  private LineDiff() {}

  /**
   * The lines that differ, one change after the other.
   *
   * @param maxLines maximum number of lines; one more line then says how many follow
   * @return empty if the bytes are the same
   */
  static String of(byte[] before, byte[] after, int maxLines) {
    List<String> changed = changed(lines(before), lines(after));
    StringBuilder text = new StringBuilder();
    changed.stream().limit(maxLines).forEach(line -> text.append(line).append('\n'));
    int more = changed.size() - maxLines;
    if (more > 0) {
      text.append("... ").append(more).append(" more lines\n");
    }
    return text.toString();
  }

  private static List<String> changed(List<String> before, List<String> after) {
    List<String> changed = new ArrayList<>();
    for (AbstractDelta<String> delta : UnifiedDiff.patch(before, after).getDeltas()) {
      if (changed.isEmpty()) {
        changed.add("@@ line " + (delta.getSource().getPosition() + 1) + " @@");
      }
      delta.getSource().getLines().forEach(line -> changed.add("-" + line));
      delta.getTarget().getLines().forEach(line -> changed.add("+" + line));
    }
    return changed;
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
}
