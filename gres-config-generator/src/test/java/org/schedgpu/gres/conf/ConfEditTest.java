package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** A change touches only its subject. */
class ConfEditTest {
  private static String edit(String text, BiConsumer<ConfEdit, ConfLine> change) {
    ConfFile file = Confs.parse(text);
    ConfEdit edit = file.edit();
    change.accept(edit, file.lines().get(0));
    return edit.result().text();
  }

  private static String set(String text, String key, String value) {
    return edit(text, (edit, line) -> edit.set(line, key, value));
  }

  private static String remove(String text, String key) {
    return edit(text, (edit, line) -> edit.remove(line, key));
  }

  @Test
  void setKeepsSpacingCaseCommentAndLineEnd() {
    assertEquals(
        "NodeName=a\t GRES = gpu:8   CPUs=2 # old\r\nB=1",
        set("NodeName=a\t GRES = gpu:2   CPUs=2 # old\r\nB=1", "Gres", "gpu:8"));
    assertEquals("A=1\\\n2 B=x\n", set("A=1\\\n2 B=y\n", "b", "x"));
    assertEquals(
        "N=a \\\n\tGres=\"g:8\" \\\n\tC=1\n",
        set("N=a \\\n\tGres=\"g:2\" \\\n\tC=1\n", "gres", "g:8"));
  }

  @Test
  void setChangesTheValueThatCounts() {
    assertEquals("N=a Gres=x Gres=z\n", set("N=a Gres=x Gres=y\n", "Gres", "z"));
  }

  @Test
  void setToTheSameChangesNothing() {
    assertEquals("A=\"1\"  # x\n", set("A=\"1\"  # x\n", "a", "1"));
    assertEquals("A=\\1\n", set("A=\\1\n", "A", "1"));
  }

  @Test
  void newKeyComesBehindTheLastPair() {
    assertEquals("N=a C=1 Gres=g:2  # x\n", set("N=a C=1  # x\n", "Gres", "g:2"));
    assertEquals("N=a\tC=1\tGres=g:2", set("N=a\tC=1", "Gres", "g:2"));
    assertEquals(
        "N=a \\\n   C=1 Gres=g:2 \\\n\nB=1\n", set("N=a \\\n   C=1 \\\n\nB=1\n", "Gres", "g:2"));
  }

  @Test
  void blanksAndSignsAreProtected() {
    assertEquals("A=\"x y\"\n", set("A=1\n", "A", "x y"));
    assertEquals("A=x\\#y\\\\z\n", set("A=1\n", "A", "x#y\\z"));
    assertEquals("x#y\\z", Confs.line("A=x\\#y\\\\z\n").value("A").orElseThrow());
    assertEquals("A=\"\"\n", set("A=1\n", "A", ""));
  }

  @Test
  void valueThatSlurmCannotReadBackIsRefused() {
    assertEquals(
        "slurm.conf line 1, A='x\"y' cannot be written: use printable ASCII without '\"', which"
            + " Slurm cannot escape",
        Confs.error(() -> set("A=1\n", "A", "x\"y")));
    assertEquals(
        "slurm.conf line 1, 'A B' is not a key: use letters, digits, '_' and '.'",
        Confs.error(() -> set("A=1\n", "A B", "1")));
    assertEquals(
        "slurm.conf line 1, there is no Key=Value to add A= to: add a line instead",
        Confs.error(() -> set("# x\n", "A", "1")));
  }

  @Test
  void removeTakesTheBlanksBeforeTheKey() {
    assertEquals("N=a  C=1\n", remove("N=a \tGres=x  C=1\n", "gres"));
    assertEquals("N=a # x\n", remove("N=a Gres=x Gres=y # x\n", "Gres"));
    assertEquals("N=a \\\n  C=1\n", remove("N=a \\\n  G=x \\\n  C=1\n", "G"));
    assertEquals("N=a\n", remove("N=a\n", "Gres"));
    assertEquals(
        "slurm.conf line 1, n= begins the line: remove the whole line instead",
        Confs.error(() -> remove("N=a\n", "n")));
  }

  @Test
  void insertedLinesHaveTheFilesLineEnd() {
    assertEquals(
        "A=1\r\nB=2\r\nC=3\r\n", edit("A=1\r\nC=3\r\n", (e, l) -> e.insertAfter(l, "B=2")));
    assertEquals("A=1\nB=2\nC=3", edit("A=1", (e, l) -> e.insertAfter(l, "B=2").append("C=3")));
    assertEquals("A=1\n", Confs.parse("").edit().append("A=1").result().text());
  }

  /** The next write finds the same first line, so the same plan gives the same bytes. */
  @Test
  void insertedLinesEndAsTheFirstLineThatStays() {
    assertEquals(
        "B=2\nC=3\r\nD=4\n",
        edit(
            "A=1\r\nB=2\nC=3\r\n",
            (e, l) -> {
              e.removeLine(l);
              e.append("D=4");
            }));
  }

  @Test
  void removedLineGoesWithItsComment() {
    assertEquals("B=2", edit("A=1 \\\n C=2 # x\nB=2", ConfEdit::removeLine));
  }

  @Test
  void aCommentCanStayWhereItsLineGoes() {
    assertEquals("# x\r\nB=2", edit("A=1  # x\r\nB=2", ConfEdit::removeButComment));
    assertEquals("# x # y", edit("A=\\# \\\n C=2# x # y", ConfEdit::removeButComment));
    assertEquals("B=2", edit("A=\\# \\\n C=2\nB=2", ConfEdit::removeButComment));
  }

  /** Otherwise the same plan would give other bytes the second time. */
  @Test
  void aFileWithoutALastLineEndKeepsNoneWhenItsLastLineIsReplaced() {
    assertEquals("A=1\nC=3\nD=4", lastReplaced("A=1\nB=2", "C=3", "D=4"));
    assertEquals("A=1\r\nC=3", lastReplaced("A=1\r\nB=2", "C=3"));
    assertEquals("A=1\nC=3\n", lastReplaced("A=1\nB=2\n", "C=3"));
  }

  private static String lastReplaced(String text, String... lines) {
    ConfFile file = Confs.parse(text);
    ConfEdit edit = file.edit().removeLine(file.lines().get(file.lines().size() - 1));
    for (String line : lines) {
      edit.append(line);
    }
    return edit.result().text();
  }

  @Test
  void severalChangesOfOneLineAddUp() {
    assertEquals(
        "N=a C=2 G=1\n",
        edit("N=a C=1 D=1\n", (e, l) -> e.set(l, "C", "2").remove(l, "D").set(l, "G", "1")));
  }

  @Test
  void lineBehindAContinuedEndIsRefused() {
    assertEquals(
        "slurm.conf line 1, the last line is continued with a backslash: take the backslash out"
            + " first",
        Confs.error(() -> edit("A=1 \\\n", (e, l) -> e.append("B=2"))));
  }

  @Test
  void lineOfAnotherFileIsRefused() {
    ConfFile other =
        ConfFile.parse(
            java.nio.file.Path.of("/x"), "A=1\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    assertThrows(
        IllegalArgumentException.class,
        () -> Confs.parse("A=1\n").edit().set(other.lines().get(0), "A", "2"));
  }
}
