package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.ChildJvm;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;

/** Real refusals of the system: another user, and a full file system. */
class ApplyFailureTest {
  private static final String OLD = "Name=gpu File=/dev/nvidia0\n";

  @TempDir Path base;
  private Path folder;
  private Path plan;

  @BeforeEach
  void makeFolder() throws IOException {
    Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxr-xr-x"));
    folder = Files.createDirectory(base.resolve("slurm")).toRealPath();
    plan = base.resolve("plan.json");
  }

  private void planFor(Path where) throws IOException {
    Files.writeString(where.resolve("gres.conf"), OLD);
    Path facts = Files.writeString(base.resolve("gpu1.json"), Fixtures.facts(16, 2).toJson());
    Files.writeString(
        plan,
        CommandMain.run(
                "gres",
                "plan",
                "--facts",
                facts.toString(),
                "--per-gpu",
                "12",
                "--json",
                "--output",
                where.toString(),
                "--dry-run")
            .out());
  }

  private String asNobody(String... args) throws IOException, InterruptedException {
    String why = ChildJvm.whyNotAsNobody();
    assumeTrue(why.isEmpty(), why);
    Path classes = Files.createDirectory(base.resolve("classes"));
    return ChildJvm.run(ChildJvm.commandAsNobody(classes, CommandMain.class.getName(), args));
  }

  @Test
  void folderThatTheUserMayNotWriteIsNamed() throws Exception {
    planFor(folder);
    assertEquals(
        "1\nschedgpu gres: folder %s/schedgpu-backup cannot be made (permission denied): repeat"
                .formatted(folder)
            + " it as root, or as the owner of the files\n",
        asNobody("gres", "apply", "--plan", plan.toString()));
    assertEquals(OLD, Files.readString(folder.resolve("gres.conf")));
  }

  @Test
  void fileThatTheUserMayNotReadIsNamed() throws Exception {
    planFor(folder);
    Files.setPosixFilePermissions(
        folder.resolve("gres.conf"), PosixFilePermissions.fromString("rw-------"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertEquals(
        "1\nschedgpu gres: file %s/gres.conf cannot be read (permission denied): repeat it as"
                .formatted(folder)
            + " root, or as the owner of the files\n",
        asNobody("gres", "apply", "--plan", plan.toString()));
  }

  /** The owner of the folder who does not own the file cannot give the new file its owner. */
  @Test
  void ownerThatTheUserMayNotSetIsNamedAndNothingIsReplaced() throws Exception {
    planFor(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    String result = asNobody("gres", "apply", "--plan", plan.toString());
    assertTrue(
        result.contains(
            "failed, all files are as they were (operation not permitted): repeat it as root"),
        result);
    assertEquals(OLD, Files.readString(folder.resolve("gres.conf")));
    assertEquals("root", Files.getOwner(folder.resolve("gres.conf")).getName());
    try (var files = Files.list(folder)) {
      assertEquals(2, files.count(), "gres.conf and schedgpu-backup");
    }
  }

  @Test
  void backupsOfRootAreNotForOthers() throws Exception {
    planFor(folder);
    assertEquals(0, CommandMain.run("gres", "apply", "--plan", plan.toString()).exitCode());
    String result = asNobody("gres", "revert", "--folder", folder.toString());
    assertTrue(result.startsWith("1\n") && result.contains("lock cannot be locked"), result);
    assertTrue(result.contains("(permission denied): repeat it as root"), result);
  }

  @Test
  void fileSystemWithoutRoomLeavesTheOldFiles() throws Exception {
    String mount = ChildJvm.run(mountCommand(folder));
    assumeTrue(mount.startsWith("0\n"), "a file system cannot be mounted here: " + mount);
    try {
      planFor(folder);
      Files.write(folder.resolve("filler"), new byte[(int) room(folder)]);
      CommandMain.Result result = CommandMain.run("gres", "apply", "--plan", plan.toString());
      assertEquals(1, result.exitCode(), result.out());
      assertTrue(
          result.err().contains("(no space left on device): make room and repeat"), result.err());
      assertEquals(OLD, Files.readString(folder.resolve("gres.conf")));
      Files.delete(folder.resolve("filler"));
      assertEquals(0, CommandMain.run("gres", "apply", "--plan", plan.toString()).exitCode());
    } finally {
      assertEquals("0\n", ChildJvm.run(List.of("umount", folder.toString())));
    }
  }

  private static List<String> mountCommand(Path folder) {
    return List.of("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", folder.toString());
  }

  /** All but one page is full: there is room for the backup's folder, not for its files. */
  private static long room(Path folder) throws IOException {
    return Files.getFileStore(folder).getUsableSpace() - 4096;
  }
}
