package org.schedgpu.gres.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder in which somebody else may make links. */
class WholeFileTest {
  private static final byte[] NEW = "new\n".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void aFileIsReplacedAndNothingElseIsLeft() throws IOException {
    Path file = Files.writeString(folder.resolve("page"), "old\n");
    WholeFile.write(file, NEW);
    assertEquals("new\n", Files.readString(file));
    WholeFile.write(folder.resolve("other"), NEW, "rw-------");
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("other"))));
    assertEquals(List.of("other", "page"), names());
  }

  @Test
  void aLinkIsReplacedAndNotFollowed() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "root's\n");
    Path link = Files.createSymbolicLink(folder.resolve("page"), victim);
    WholeFile.write(link, NEW);
    assertEquals("root's\n", Files.readString(victim));
    assertFalse(Files.isSymbolicLink(link));
    Path device = Files.createSymbolicLink(folder.resolve("device"), Path.of("/dev/null"));
    WholeFile.write(device, NEW);
    assertTrue(Files.isRegularFile(device));
  }

  /** The name of the draft was the process's number before: who knows it makes a link there. */
  @Test
  void noNameOfTheDraftCanBeKnown() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "root's\n");
    long pid = ProcessHandle.current().pid();
    for (String name : List.of(".page." + pid, "page.new", ".page.new", ".page.tmp")) {
      Files.createSymbolicLink(folder.resolve(name), victim);
    }
    WholeFile.write(folder.resolve("page"), NEW);
    assertEquals("root's\n", Files.readString(victim));
  }

  @Test
  void whatIsNoFileIsWrittenTo() throws IOException {
    WholeFile.write(Path.of("/dev/null"), NEW);
    assertFalse(Files.isRegularFile(Path.of("/dev/null")));
  }

  @Test
  void aFolderIsRefusedAndNothingIsLeft() throws IOException {
    Files.createDirectory(folder.resolve("page"));
    assertThrows(FileSystemException.class, () -> WholeFile.write(folder.resolve("page"), NEW));
    assertEquals(List.of("page"), names());
  }
}
