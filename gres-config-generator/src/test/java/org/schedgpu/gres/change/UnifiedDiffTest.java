package org.schedgpu.gres.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnifiedDiffTest {
  @TempDir Path folder;

  private String diff(String before, String after) throws IOException {
    Path file = folder.resolve("f");
    if (before != null) {
      Files.write(file, before.getBytes(StandardCharsets.ISO_8859_1));
    }
    return UnifiedDiff.of(file, after.getBytes(StandardCharsets.ISO_8859_1))
        .replace(file.toString(), "f");
  }

  @Test
  void threeLinesAreShownAroundAChange() throws IOException {
    assertEquals(
        "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
        diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"));
  }

  @Test
  void newFileComesFromNothing() throws IOException {
    assertEquals("--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n", diff(null, "a\n"));
  }

  @Test
  void sameBytesHaveNoDifference() throws IOException {
    assertEquals("", diff("a\n", "a\n"));
  }

  @Test
  void missingLineFeedIsADifference() throws IOException {
    assertEquals(
        "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n", diff("a", "a\n"));
  }

  /** Matching them would take the square of their number, in time and in memory. */
  @Test
  void manyLinesThatAllDifferAreReplacedAsAWhole() throws IOException {
    StringBuilder old = new StringBuilder("same\n");
    StringBuilder fresh = new StringBuilder("same\n");
    StringBuilder expected = new StringBuilder("--- f\n+++ f\n@@ -1,100001 +1,100001 @@\n same\n");
    StringBuilder plus = new StringBuilder();
    for (int i = 0; i < 100_000; i++) {
      old.append("old ").append(i).append('\n');
      fresh.append("new ").append(i).append('\n');
      expected.append("-old ").append(i).append('\n');
      plus.append("+new ").append(i).append('\n');
    }
    assertEquals(expected.append(plus).toString(), diff(old.toString(), fresh.toString()));
  }

  @Test
  void fewChangesOfALongFileAreShownAsFew() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      lines.append(i).append('\n');
    }
    String fresh = "first\n" + lines.substring(2) + "last\n";
    assertEquals(
        "--- f\n+++ f\n@@ -1,4 +1,4 @@\n-0\n+first\n 1\n 2\n 3\n"
            + "@@ -19998,3 +19998,4 @@\n 19997\n 19998\n 19999\n+last\n",
        diff(lines.toString(), fresh));
  }

  @Test
  void controlCharactersDoNotReachATerminal() throws IOException {
    assertTrue(diff("a\n", "\u001b[31mb\n").endsWith("-a\n+?[31mb\n"));
  }

  @Test
  void textThatIsNotUtf8IsShownByteByByte() throws IOException {
    assertTrue(diff("a\n", "caf\u00e9\n").endsWith("+caf\u00e9\n"));
  }

  /** The plan of a large cluster has files of 100,000 lines. */
  @Test
  void ofALongDifferenceTheFirstLinesAreShown() {
    byte[] five = "1\n2\n3\n4\n5\n".getBytes(StandardCharsets.UTF_8);
    Path file = folder.resolve("new.conf");
    assertEquals(
        "--- /dev/null\n+++ %s\n@@ -0,0 +1,5 @@\n+1\n... and 4 more lines, see --full-diff\n"
            .formatted(file),
        UnifiedDiff.of(file, five, 4));
    assertEquals(UnifiedDiff.of(file, five), UnifiedDiff.of(file, five, 8));
  }
}
