package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One file's syntax, as Slurm 22.05 has it. */
class ConfFileTest {
  @TempDir Path folder;

  private static String pairs(String text) {
    return Confs.parse(text).lines().stream()
        .flatMap(line -> line.pairs().stream())
        .map(pair -> pair.key() + "=" + pair.value())
        .collect(Collectors.joining("|"));
  }

  @Test
  void severalPairsAndAnySpacing() {
    assertEquals("A=1|b_2.c=x|C=3", pairs("  A=1\t b_2.c =  x \t C= 3\r\n"));
    assertEquals("A=B=1", pairs("A= B=1\n"));
  }

  @Test
  void caseOfKeysDoesNotMatter() {
    ConfLine line = Confs.line("NODENAME=a gRes=gpu:2\n");
    assertEquals("gpu:2", line.value("Gres").orElseThrow());
    assertTrue(line.startsWith("NodeName"));
  }

  @Test
  void quotesHoldBlanksAndAreNotPartOfTheValue() {
    assertEquals("A=x y|B=", pairs("A=\"x y\" B=\"\"\n"));
    assertEquals("A=x\"y\"|B=\"z\"w", pairs("A=x\"y\" B=\"z\"w\n"));
  }

  @Test
  void backslashContinuesEvenWithBlanksBehindIt() {
    String three = "A=1 \\\n B=2 \\ \t\r\n\tC=3\n";
    assertEquals("A=1|B=2|C=3", pairs(three));
    assertEquals(1, Confs.parse(three).lines().size());
    assertEquals("A=12", pairs("A=1\\\n2\n"));
    assertEquals("A=1\\|B=2", pairs("A=1\\\\\nB=2\n"));
  }

  @Test
  void commentEndsTheLineEvenInQuotesAndBeforeABackslash() {
    assertEquals("A=1|B=2", pairs("A=1 # x \\\nB=2 #\n"));
    assertEquals("A=1#x|B=\\", pairs("A=1\\#x\nB=\\\\# y\n"));
    assertEquals("A=\"x", pairs("A=\"x # y\"\n"));
  }

  @Test
  void commentLineEndsAContinuedLine() {
    assertEquals("A=1|B=2", pairs("A=1 \\\n# x\nB=2\n"));
    assertEquals(3, Confs.parse("A=1 \\\n# x\nB=2\n").lines().get(1).place().line());
  }

  @Test
  void lineNumbersCountContinuedLines() {
    ConfFile file = Confs.parse("\n# x\nA=1 \\\n  B=2\n\nC=3");
    assertEquals(
        List.of(1, 2, 3, 5, 6), file.lines().stream().map(line -> line.place().line()).toList());
  }

  @Test
  void operatorsAreTaken() {
    KeyValue pair = Confs.line("A+=1\n").pairs().get(0);
    assertEquals("A + 1", "%s %s %s".formatted(pair.key(), pair.operator(), pair.value()));
  }

  @Test
  void includeIsOneOnlyAtTheVeryStart() {
    assertEquals("x.conf", Confs.line("INCLUDE\tx.conf # y\n").include().orElseThrow());
    assertEquals(
        "slurm.conf line 1, 'Include x.conf' is not Key=Value: put '#' before a comment, quotes"
            + " around a value with blanks, or correct the line",
        Confs.error(() -> Confs.parse(" Include x.conf\n")));
    assertEquals(
        "slurm.conf line 1, 'y' follows the name of the included file: one file to an Include"
            + " line; a name cannot have blanks",
        Confs.error(() -> Confs.parse("include x y\n")));
    assertEquals(
        "slurm.conf line 1, Include names no file: name it, or take the line out",
        Confs.error(() -> Confs.parse("include # x\n")));
  }

  @Test
  void wrongLinesAreReportedWithWhatToDo() {
    assertEquals(
        "slurm.conf line 2, 'junk' is not Key=Value: put '#' before a comment, quotes around a"
            + " value with blanks, or correct the line",
        Confs.error(() -> Confs.parse("A=1\nB=2 junk\n")));
    assertEquals(
        "slurm.conf line 1, B= has no value: write a value, or take the key out; Slurm takes no"
            + " empty value without quotes",
        Confs.error(() -> Confs.parse("A=1 B=\n")));
    assertEquals(
        "slurm.conf line 1, 'y\"' is not Key=Value, there is a quote without its partner: close"
            + " the quote before a blank; a '#' ends the line even between quotes, write \\#",
        Confs.error(() -> Confs.parse("A=x y\"\n")));
    assertEquals(
        "slurm.conf line 1, the file begins with a byte order mark: save it without one",
        Confs.error(() -> Confs.parse("\ufeffA=1\n")));
    assertEquals(
        "slurm.conf line 3, there is a byte 0: it is no text; save it as text or restore a backup",
        Confs.error(() -> Confs.parse("A=1\n\nB=\0\n")));
  }

  @Test
  void fileThatCannotBeReadIsReported() {
    assertEquals(
        "file /nowhere/x.conf does not exist: correct the path",
        Confs.error(() -> ConfFile.read(Path.of("/nowhere/x.conf"))));
  }

  /** Reading a fifo would wait, reading /dev/zero would never end. */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void whatIsNoRegularFileIsRefused() throws Exception {
    Path fifo = folder.resolve("fifo");
    assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
    for (Path path : List.of(Path.of("/dev/null"), Path.of("/etc"), fifo)) {
      assertEquals(
          "file %s is no regular file: name the file itself, not a folder or a pipe"
              .formatted(path),
          Confs.error(() -> ConfFile.read(path)));
    }
  }
}
