package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.schedgpu.gres.Fixtures.assertRefused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.GresException;

class ConfigFolderTest {
  private static final String OURS = GresConfWriter.MARK + "\n";
  private static final GresFiles OLD = new GresFiles(OURS + "old g\n", "old s\n", "old d\n");
  private static final GresFiles NEW = new GresFiles(OURS + "new g\n", "new s\n", "new d\n");

  @TempDir Path folder;

  private void assertHolds(GresFiles files) throws IOException {
    for (var file : files.byName().entrySet()) {
      assertEquals(file.getValue(), Files.readString(folder.resolve(file.getKey())));
    }
    try (Stream<Path> all = Files.list(folder)) {
      assertEquals(3, all.count(), "no temporary file is left");
    }
  }

  @Test
  void newFolderIsMadeAndFilled() throws IOException {
    folder = folder.resolve("a/b");
    List<Path> written = new ConfigFolder(folder).write(NEW, false);
    assertEquals(
        List.of("gres.conf", "slurm-schedgpu.conf", "devices.conf"),
        written.stream().map(path -> path.getFileName().toString()).toList());
    assertHolds(NEW);
    assertEquals(
        "rw-r--r--",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("gres.conf"))));
  }

  @Test
  void ourFilesAreReplacedAndKeepTheirMode() throws IOException {
    new ConfigFolder(folder).write(OLD, false);
    Path devices = folder.resolve("devices.conf");
    Files.setPosixFilePermissions(devices, PosixFilePermissions.fromString("rw-rw----"));
    new ConfigFolder(folder).write(NEW, false);
    assertHolds(NEW);
    assertEquals(
        "rw-rw----", PosixFilePermissions.toString(Files.getPosixFilePermissions(devices)));
  }

  @Test
  void linkStaysALink(@TempDir Path elsewhere) throws IOException {
    new ConfigFolder(folder).write(OLD, false);
    Path real = Files.move(folder.resolve("gres.conf"), elsewhere.resolve("real"));
    Files.createSymbolicLink(folder.resolve("gres.conf"), real);
    new ConfigFolder(folder).write(NEW, false);
    assertTrue(Files.isSymbolicLink(folder.resolve("gres.conf")));
    assertEquals(NEW.gresConf(), Files.readString(real));
  }

  @Test
  void failureBeforeTheFirstRenameLeavesEveryOldFile() throws IOException {
    new ConfigFolder(folder).write(OLD, false);
    ConfigFolder failing =
        new ConfigFolder(
            folder,
            (from, to) -> {
              throw new IOException("disk on fire");
            });
    assertRefused(
        "schedgpu gres: folder "
            + folder
            + " cannot be written (java.io.IOException: disk on fire), no file was replaced: make"
            + " it writable, with room, and repeat",
        () -> failing.write(NEW, false));
    assertHolds(OLD);
  }

  @Test
  void laterFailureSaysWhatWasReplaced() throws IOException {
    new ConfigFolder(folder).write(OLD, false);
    ConfigFolder failing =
        new ConfigFolder(
            folder,
            (from, to) -> {
              if (to.endsWith("devices.conf")) {
                throw new IOException("disk on fire");
              }
              Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            });
    Path real = folder.toRealPath();
    assertRefused(
        "schedgpu gres: folder "
            + folder
            + " cannot be written (java.io.IOException: disk on fire), replaced already: ["
            + real.resolve("gres.conf")
            + ", "
            + real.resolve("slurm-schedgpu.conf")
            + "]: make it writable, with room, and repeat",
        () -> failing.write(NEW, false));
    assertHolds(new GresFiles(NEW.gresConf(), NEW.slurmConf(), OLD.devicesConf()));
  }

  @Test
  void foreignGresConfIsNotReplacedWithoutForce() throws IOException {
    new ConfigFolder(folder).write(OLD, false);
    Path gresConf = Files.writeString(folder.resolve("gres.conf"), "AutoDetect=nvml\n");
    assertRefused(
        "schedgpu gres: "
            + gresConf
            + " was not written by schedgpu gres: keep a copy and repeat with --force, or use"
            + " another folder",
        () -> new ConfigFolder(folder).write(NEW, false));
    assertHolds(new GresFiles("AutoDetect=nvml\n", OLD.slurmConf(), OLD.devicesConf()));
    new ConfigFolder(folder).write(NEW, true);
    assertHolds(NEW);
  }

  @Test
  void folderInThePlaceOfAFileIsNamed() throws IOException {
    Path devices = Files.createDirectory(folder.resolve("devices.conf"));
    assertRefused(
        "schedgpu gres: " + devices + " is not a file: move it away or use another folder",
        () -> new ConfigFolder(folder).write(NEW, false));
    assertTrue(Files.notExists(folder.resolve("gres.conf")));
  }

  @Test
  void fileInThePlaceOfTheFolderIsNamed() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");
    GresException e =
        assertThrows(GresException.class, () -> new ConfigFolder(file).write(NEW, false));
    assertTrue(e.getMessage().startsWith("schedgpu gres: folder " + file + " cannot be written ("));
    assertTrue(e.getMessage().contains(", no file was replaced: "));
  }

  /** Root writes into a folder of a user, who made a link to a file of root's. */
  @Test
  void aLinkOfAnotherUserIsRefused() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "root's\n");
    Path link = Files.createSymbolicLink(folder.resolve("devices.conf"), victim);
    assumeTrue(Files.getAttribute(link, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(0));
    Files.setAttribute(link, "unix:uid", 1000, LinkOption.NOFOLLOW_LINKS);
    GresException refused =
        assertThrows(
            GresException.class,
            () -> new ConfigFolder(folder).write(Map.of("devices.conf", new byte[0]), true));
    assertTrue(refused.getMessage().contains("is a link of user 1000"), refused.getMessage());
    assertEquals("root's\n", Files.readString(victim));
  }
}
