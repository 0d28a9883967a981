package org.schedgpu.gres.change;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.patch.ChangeDelta;
import com.github.difflib.patch.Chunk;
import com.github.difflib.patch.DeleteDelta;
import com.github.difflib.patch.InsertDelta;
import com.github.difflib.patch.Patch;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Compares a file with its new content, in the format of {@code diff -u}. */
public final class UnifiedDiff {
  private static final int CONTEXT_LINES = 3;

  /**
   * Limit on the product of differing lines and all lines, which is the cost of a search for the
   * smallest difference.
   */
  private static final long MAX_STEPS = 4_000_000;

  private static final String NO_FILE = "/dev/null";
  private static final String NO_LINE_FEED = "\n\\ No newline at end of file";

  private UnifiedDiff() {}

  /**
   * Compares new content with the file in place.
   *
   * @return empty if the bytes are the same
   * @throws org.schedgpu.gres.common.GresException if the file cannot be read
   */
  public static String of(Path file, byte[] after) {
    return of(file, after, Integer.MAX_VALUE);
  }

  /**
   * As above; of a long difference only the first lines, and a note on how many follow.
   *
   * @param maxLines maximum number of lines
   */
  public static String of(Path file, byte[] after, int maxLines) {
    Optional<byte[]> before = Snapshot.ofPath(file).map(Snapshot::content);
    List<String> old = before.map(UnifiedDiff::lines).orElse(List.of());
    String oldName = before.isPresent() ? file.toString() : NO_FILE;
    List<String> now = lines(after);
    List<String> lines =
        old.isEmpty()
            ? onlyNew(oldName, file.toString(), now)
            : UnifiedDiffUtils.generateUnifiedDiff(
                oldName, file.toString(), old, patch(old, now), CONTEXT_LINES);
    return text(lines, maxLines);
  }

  /** Prints all lines of a new file; there is nothing to compare them with. */
  private static List<String> onlyNew(String oldName, String name, List<String> now) {
    if (now.isEmpty()) {
      return now;
    }
    List<String> lines = new ArrayList<>(now.size() + 3);
    lines.add("--- " + oldName);
    lines.add("+++ " + name);
    lines.add("@@ -0,0 +1,%d @@".formatted(now.size()));
    now.forEach(line -> lines.add("+" + line));
    return lines;
  }

  private static String text(List<String> lines, int maxLines) {
    int shown = Math.min(lines.size(), maxLines);
    StringBuilder text = new StringBuilder();
    lines.subList(0, shown).forEach(line -> text.append(line).append('\n'));
    if (shown < lines.size()) {
      text.append("... and %d more lines, see --full-diff%n".formatted(lines.size() - shown));
    }
    return text.toString();
  }

  /**
   * True if a file differs from its new content.
   *
   * @throws org.schedgpu.gres.common.GresException if it cannot be read
   */
  public static boolean differs(Path file, byte[] after) {
    Optional<byte[]> before = Snapshot.ofPath(file).map(Snapshot::content);
    return before.isEmpty() ? after.length > 0 : !Arrays.equals(before.get(), after);
  }

  /** Compares long files without a search for the smallest difference, which would take minutes. */
  static Patch<String> patch(List<String> old, List<String> now) {
    int same = 0;
    int shorter = Math.min(old.size(), now.size());
    while (same < shorter && old.get(same).equals(now.get(same))) {
      same++;
    }
    int tail = 0;
    while (tail < shorter - same
        && old.get(old.size() - 1 - tail).equals(now.get(now.size() - 1 - tail))) {
      tail++;
    }
    List<String> gone = old.subList(same, old.size() - tail);
    List<String> come = now.subList(same, now.size() - tail);
    long different = without(gone, come) + without(come, gone);
    if (different * (gone.size() + come.size()) <= MAX_STEPS) {
      return DiffUtils.diff(old, now);
    }
    Patch<String> patch = new Patch<>();
    Chunk<String> from = new Chunk<>(same, gone);
    Chunk<String> to = new Chunk<>(same, come);
    patch.addDelta(
        gone.isEmpty()
            ? new InsertDelta<>(from, to)
            : come.isEmpty() ? new DeleteDelta<>(from, to) : new ChangeDelta<>(from, to));
    return patch;
  }

  /** The number of lines that have no equal among the others. */
  private static long without(List<String> lines, List<String> others) {
    Set<String> known = new HashSet<>(others);
    return lines.stream().filter(line -> !known.contains(line)).count();
  }

  private static List<String> lines(byte[] content) {
    String text = text(content);
    boolean isPlain = text.chars().noneMatch(UnifiedDiff::isOdd);
    List<String> lines = new ArrayList<>();
    for (int start = 0; start < text.length(); ) {
      int feed = text.indexOf('\n', start);
      String raw = text.substring(start, feed < 0 ? text.length() : feed);
      String line = isPlain ? raw : raw.replaceAll("[\\p{Cntrl}&&[^\t\r]]", "?");
      lines.add(feed < 0 ? line + NO_LINE_FEED : line);
      start = feed < 0 ? text.length() : feed + 1;
    }
    return lines;
  }

  private static boolean isOdd(int character) {
    return (character < ' ' && "\t\r\n".indexOf(character) < 0) || character == 127;
  }

  /** The content as text: UTF-8 if it is valid, else one character for each byte. */
  private static String text(byte[] content) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      return new String(content, StandardCharsets.ISO_8859_1);
    }
  }
}
