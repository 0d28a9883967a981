package org.schedgpu.papers.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.papers.paper004.Emulated;

class PapersCommandTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return PapersCommand.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @Test
  void allFiguresOfTheEmulatorAreMeasuredUnlessSomeAreNamed() {
    assertEquals(Emulated.figures(), figures("--emulator"));
    assertEquals(List.of(9, 11), figures("--emulator=9,11"));
  }

  private static List<Integer> figures(String option) {
    return PapersCommand.commandLine()
        .parseArgs(option)
        .matchedOptionValue("--emulator", List.of());
  }

  @Test
  void anUnknownPaperIsWrongUsage() {
    assertEquals(2, run("--only", "005"));
    assertTrue(err.toString().contains("--only 005 is none of 001, 002, 003, 004"), err.toString());
    assertEquals(2, run("--emulator=9,7"));
    assertTrue(err.toString().contains("--emulator 7 is none of 6, 9, 11, 13"), err.toString());
  }

  @Test
  void aFolderThatCannotBeWrittenIsAnError() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    assertEquals(1, run("--only", "001", "--output", file.toString()));
    assertTrue(err.toString().contains("papers: cannot write into " + file), err.toString());
  }

  @Test
  void tablesAndPicturesAreWrittenAndTheSummaryIsNarrow() throws IOException {
    assertEquals(0, run("--only", "001", "--output", folder.toString()));
    String html = Files.readString(folder.resolve("index.html"));
    for (String picture : new String[] {"001-table-3.png", "001-figure-10.png"}) {
      assertTrue(html.contains("src=\"" + picture + "\""), picture);
      assertEquals(900, ImageIO.read(folder.resolve(picture).toFile()).getWidth());
    }
    out.toString()
        .lines()
        .filter(line -> line.startsWith("001"))
        .forEach(line -> assertTrue(line.length() <= 80, line));
    assertTrue(err.toString().contains("Table 3"), err.toString());
  }
}
