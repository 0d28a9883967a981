package org.schedgpu.gres.change;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What {@code diff -u} prints of a file and what it is to be. */
public final class UnifiedDiff {
  private static final int CONTEXT_LINES = 3;
  private static final String NO_FILE = "/dev/null";
  private static final String NO_LINE_FEED = "\n\\ No newline at end of file";

  private UnifiedDiff() {}

  /**
   * Compares with what is there now.
   *
   * @return empty if the bytes are the same
   * @throws org.schedgpu.gres.GresException if the file cannot be read
   */
  public static String of(Path file, byte[] after) {
    Optional<byte[]> before = Snapshot.ofPath(file).map(Snapshot::content);
    List<String> old = before.map(UnifiedDiff::lines).orElse(List.of());
    String oldName = before.isPresent() ? file.toString() : NO_FILE;
    List<String> lines =
        UnifiedDiffUtils.generateUnifiedDiff(
            oldName, file.toString(), old, DiffUtils.diff(old, lines(after)), CONTEXT_LINES);
    String diff = lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
    return old.isEmpty() ? diff.replaceFirst("@@ -1,0 ", "@@ -0,0 ") : diff;
  }

  private static List<String> lines(byte[] content) {
    String text = text(content);
    List<String> lines = new ArrayList<>();
    for (int start = 0; start < text.length(); ) {
      int feed = text.indexOf('\n', start);
      String line =
          text.substring(start, feed < 0 ? text.length() : feed)
              .replaceAll("[\\p{Cntrl}&&[^\t\r]]", "?");
      lines.add(feed < 0 ? line + NO_LINE_FEED : line);
      start = feed < 0 ? text.length() : feed + 1;
    }
    return lines;
  }

  /** UTF-8 if it is that; else one character a byte. */
  private static String text(byte[] content) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      return new String(content, StandardCharsets.ISO_8859_1);
    }
  }
}
