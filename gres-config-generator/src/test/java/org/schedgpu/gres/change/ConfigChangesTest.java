package org.schedgpu.gres.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.GresException;

class ConfigChangesTest {
  private static final String ID = "20261120T201500Z-1";
  private static final String BROKEN =
      ": take the folder out of schedgpu-backup; its copies are plain files";

  @TempDir(factory = MemoryFolder.class)
  Path base;

  private ConfigFixture config;

  @BeforeEach
  void makeConfiguration() throws IOException {
    config = new ConfigFixture(base);
  }

  private Outcome apply() {
    return config.changes().apply(config.requested(), false);
  }

  private Outcome revert() {
    return config.changes().revert(Optional.empty(), false);
  }

  private Outcome revertTo(String to) {
    return config.changes().revert(Optional.of(to), false);
  }

  private static RequestedFiles one(String name, String text) {
    return new RequestedFiles(Map.of(name, ConfigFixture.bytes(text)), Map.of(), Set.of(name));
  }

  private static void assertRefused(String message, Executable action) {
    assertEquals(
        "schedgpu gres: " + message, assertThrows(GresException.class, action).getMessage());
  }

  @Test
  void appliesTheSetAndTakesItBackExactly() throws IOException {
    Outcome applied = apply();
    config.assertNew();
    assertEquals(
        List.of(
            "replaced: " + config.gresConf,
            "replaced: " + config.slurmConf + " (a link to " + config.realSlurmConf + ")",
            "created: " + config.devicesConf),
        applied.lines());
    assertEquals(Optional.of(config.backup(1)), applied.backup());
    Outcome reverted = revert();
    config.assertOld();
    assertEquals("removed: " + config.devicesConf, reverted.lines().get(2));
  }

  @Test
  void namesLeadIntoFoldersBelowAndNeverOut() {
    for (String name :
        new String[] {
          "../x",
          "nodes/../../x",
          "/etc/passwd",
          "nodes//x",
          "nodes/",
          ".x",
          "a/./b",
          "a\nb",
          "",
          "schedgpu-backup",
          "schedgpu-backup/lock",
          "a/../schedgpu-backup/x"
        }) {
      assertRefused(
          "file name '"
              + name.replace('\n', '?')
              + "' is not one in the folder: use a name from the folder on, without '..', such as"
              + " slurm.conf or nodes/gpu.conf",
          () -> one(name, "x"));
    }
    one("nodes/deeper/gpu-1_a.conf", "x");
  }

  @Test
  void folderThatIsNotThereIsNotMade() {
    assertRefused(
        "folder %1$s/none of %1$s/none/x.conf cannot be used (it is not there): name the right one, or make it"
            .formatted(config.folder),
        () -> config.changes().apply(one("none/x.conf", "x"), false));
  }

  @Test
  void fileThatIsOnlyLookedAtMustBeWhatItWas() throws IOException {
    Path looked = Files.writeString(config.folder.resolve("looked.conf"), "a\n");
    RequestedFiles requested =
        new RequestedFiles(
            Map.of("gres.conf", ConfigFixture.bytes("x")),
            Map.of("looked.conf", ConfigFixture.seen("b\n"), "gone.conf", ConfigFixture.seen("c")),
            Set.of("gres.conf"));
    assertRefused(
        config.folder.resolve("gone.conf")
            + " was removed since the plan: plan again, or repeat with --force: the backup"
            + " keeps the present files\n@@ line 1 @@\n-c  (no line feed)",
        () -> config.changes().apply(requested, false));
    assertTrue(config.changes().apply(requested, true).changes());
    assertEquals("a\n", Files.readString(looked));
  }

  @Test
  void secondApplyAndSecondRevertChangeNothing() throws IOException {
    apply();
    Outcome again = apply();
    assertFalse(again.changes());
    assertEquals(Optional.empty(), again.backup());
    assertEquals("unchanged: " + config.gresConf, again.lines().get(0));
    assertEquals(1, config.changes().list().size());
    revert();
    Outcome revertedAgain = revert();
    assertEquals(Optional.empty(), revertedAgain.backup());
    assertEquals(List.of(), revertedAgain.lines());
    config.assertOld();
  }

  @Test
  void manifestIsReadableAndItsCopiesAreTheFiles() throws IOException {
    apply();
    String manifest = Files.readString(config.backup(1).resolve("manifest.json"));
    assertTrue(manifest.contains("\"version\" : 1,\n  \"id\" : \"" + ID + "\""), manifest);
    assertTrue(manifest.contains("\"created\" : \"2026-11-20T20:15:00Z\""), manifest);
    assertTrue(manifest.contains("\"step\" : \"applied\""), manifest);
    assertTrue(manifest.contains("\"mode\" : \"0640\""), manifest);
    assertTrue(manifest.contains("\"done\" : true"), manifest);
    assertEquals(
        ConfigFixture.OLD_GRES, Files.readString(config.backup(1).resolve("0-gres.conf.before")));
    assertEquals(
        ConfigFixture.NEW_DEVICES,
        Files.readString(config.backup(1).resolve("2-devices.conf.after")));
    assertEquals("rwx------", mode(config.folder.resolve("schedgpu-backup")));
    assertEquals("rw-------", mode(config.backup(1).resolve("0-gres.conf.before")));
  }

  private static String mode(Path path) throws IOException {
    return java.nio.file.attribute.PosixFilePermissions.toString(
        Files.getPosixFilePermissions(path));
  }

  @Test
  void fileThatChangedSinceThePlanIsRefusedWithTheDifference() throws IOException {
    Files.writeString(config.gresConf, "# by hand\nName=gpu File=/dev/nvidia1\n");
    assertRefused(
        config.gresConf
            + " was changed since the plan: plan again, or repeat with --force: the backup"
            + " keeps the present files\n@@ line 2 @@\n-Name=gpu File=/dev/nvidia0\n"
            + "+Name=gpu File=/dev/nvidia1",
        this::apply);
    assertFalse(Files.exists(config.backup(1)));
    assertEquals(ConfigFixture.OLD_SLURM, Files.readString(config.slurmConf));
    config.changes().apply(config.requested(), true);
    assertEquals(ConfigFixture.NEW_GRES, Files.readString(config.gresConf));
    revert();
    assertTrue(Files.readString(config.gresConf).contains("nvidia1"));
  }

  @Test
  void fileThatWasMadeOrRemovedSinceThePlanIsRefused() throws IOException {
    Files.writeString(config.devicesConf, "x\n");
    assertTrue(
        assertThrows(GresException.class, this::apply)
            .getMessage()
            .startsWith("schedgpu gres: " + config.devicesConf + " was made since the plan: "));
    Files.delete(config.devicesConf);
    Files.delete(config.gresConf);
    assertTrue(
        assertThrows(GresException.class, this::apply)
            .getMessage()
            .startsWith("schedgpu gres: " + config.gresConf + " was removed since the plan: "));
  }

  @Test
  void fileThatThePlanDidNotSeeIsNotReplaced() {
    RequestedFiles blind =
        new RequestedFiles(Map.of("gres.conf", ConfigFixture.bytes("new\n")), Map.of(), Set.of());
    assertRefused(
        "the plan does not know what "
            + config.gresConf
            + " holds: plan with --output "
            + config.folder
            + " --dry-run, or repeat with --force: the backup keeps the present files",
        () -> config.changes().apply(blind, false));
  }

  @Test
  void fileThatChangedSinceTheApplyIsKeptOnForce() throws IOException {
    apply();
    Files.writeString(config.gresConf, ConfigFixture.NEW_GRES + "by hand\n");
    assertRefused(
        config.gresConf
            + " was changed since it was applied, backup "
            + ID
            + ": check what was changed, then repeat with --force: the backup keeps the"
            + " file\n@@ line 3 @@\n+by hand",
        this::revert);
    assertEquals("applied", config.changes().list().get(0).step());
    Outcome forced = config.changes().revert(Optional.empty(), true);
    config.assertOld();
    String note = forced.notes().get(0);
    Path kept = Path.of(note.substring(note.indexOf(" kept as ") + 9));
    assertEquals(ConfigFixture.NEW_GRES + "by hand\n", Files.readString(kept));
  }

  @Test
  void anotherModeIsAChangeToo() throws IOException {
    apply();
    Files.setAttribute(config.gresConf, "unix:mode", 0600);
    String message = assertThrows(GresException.class, this::revert).getMessage();
    assertTrue(message.contains(" got another mode (0600, was 0640) since it was"), message);
  }

  @Test
  void revertGoesBackOverSeveralChanges() throws IOException {
    apply();
    config.changes().apply(one("devices.conf", "second\n"), false);
    config.changes().apply(one("devices.conf", "third\n"), false);
    revertTo("3");
    assertEquals("second\n", Files.readString(config.devicesConf));
    revertTo("20261120T201500Z-1");
    config.assertOld();
    assertEquals(
        List.of("reverted", "reverted", "reverted"),
        config.changes().list().stream().map(BackupLine::step).toList());
  }

  @Test
  void secondRevertLeavesTheChangeBefore() throws IOException {
    apply();
    config.changes().apply(one("devices.conf", "second\n"), false);
    revert();
    assertEquals(List.of(), revert().lines());
    config.assertNew();
  }

  /** The content of the files counts, not what the manifest says about it. */
  @Test
  void replacedFileThatWasChangedAfterAKillIsNotOverwritten() throws IOException {
    Path manifest = config.backup(1).resolve("manifest.json");
    for (int point = 1; ; point++) {
      StoppingDisk disk = StoppingDisk.killedAt(point, () -> {});
      assertThrows(
          StoppingDisk.Killed.class, () -> config.changes(disk).apply(config.requested(), false));
      if (Files.exists(manifest) && Files.readString(manifest).contains("\"done\" : true")) {
        break;
      }
      config = new ConfigFixture(Files.createDirectory(base.resolve("at" + point)));
      manifest = config.backup(1).resolve("manifest.json");
    }
    Files.writeString(config.gresConf, "by hand\n");
    String message = assertThrows(GresException.class, this::apply).getMessage();
    assertTrue(message.contains(config.gresConf + " was changed since the backup"), message);
  }

  /** A refusal two steps back also leaves the steps in between unchanged. */
  @Test
  void revertOverSeveralChangesIsRefusedBeforeTheFirst() throws IOException {
    apply();
    Files.writeString(config.gresConf, "by hand\n");
    config.changes().apply(one("devices.conf", "second\n"), false);
    assertThrows(GresException.class, () -> revertTo("1"));
    assertEquals("second\n", Files.readString(config.devicesConf));
  }

  @Test
  void unknownBackupAndNoBackupAreNamed() {
    assertRefused(
        "folder "
            + config.folder
            + " has no schedgpu-backup: name the folder that schedgpu gres apply changed with"
            + " --folder",
        this::revert);
    apply();
    assertRefused("there is no backup '7': see schedgpu gres revert --list", () -> revertTo("7"));
  }

  @Test
  void brokenManifestIsNamed() throws IOException {
    apply();
    Path manifest = config.backup(1).resolve("manifest.json");
    String whole = Files.readString(manifest);
    assertManifestRefused(whole.substring(0, 40), manifest + ", line ");
    assertManifestRefused("", manifest + ", line 1, No content to map");
    assertManifestRefused(
        whole.replace("\"version\" : 1", "\"version\" : 9"),
        manifest + ", version 9 is not known, this is version 1: use the schedgpu that wrote it");
    assertManifestRefused(
        whole.replace(ID, "20261120T201500Z-8"),
        manifest + " is of the backup 20261120T201500Z-8: give the folder its name back");
    assertManifestRefused(whole.replace("0640", "rw"), "mode 'rw' is not four octal digits");
    assertManifestRefused(whole.replace("\"applied\"", "\"maybe\""), "\"maybe\"");
    assertManifestRefused(whole.replaceAll("\"target\" : \"/", "\"target\" : \""), "no absolute");
    Files.delete(manifest);
    assertTrue(
        assertThrows(GresException.class, this::revert)
            .getMessage()
            .startsWith("schedgpu gres: manifest " + manifest + " cannot be read ("));
  }

  private void assertManifestRefused(String text, String part) throws IOException {
    Files.writeString(config.backup(1).resolve("manifest.json"), text);
    String message = assertThrows(GresException.class, this::revert).getMessage();
    assertTrue(message.contains(part), message);
    config.assertNew();
    BackupLine line = config.changes().list().get(0);
    assertEquals("broken", line.step());
    assertTrue(line.problem().contains(part), line.problem());
    assertThrows(GresException.class, this::apply);
  }

  @Test
  void copyThatWasTamperedWithIsNotPutInPlace() throws IOException {
    apply();
    Path copy = config.backup(1).resolve("1-slurm.conf.before");
    Files.writeString(copy, "NodeName=evil\n");
    assertRefused(
        "copy " + copy + " was changed, its sha256 is not the manifest's" + BROKEN, this::revert);
    config.assertNew();
    Files.delete(copy);
    assertRefused("copy " + copy + " is not there" + BROKEN, this::revert);
    assertEquals("broken", config.changes().list().get(0).step());
  }

  @Test
  void folderThatIsNotThereIsNamed() {
    assertRefused(
        "folder /nowhere is not there: name the folder of slurm.conf with --folder",
        () -> new ConfigChanges(Path.of("/nowhere")));
  }

  @Test
  void whatIsNotAFileIsNamed() throws IOException {
    Files.createDirectory(config.devicesConf);
    assertRefused(
        config.devicesConf + " is not a file: move it away or use another folder", this::apply);
  }

  @Test
  void linksInACircleAndIntoNowhereAreNamed() throws IOException {
    Path link = config.folder.resolve("devices.conf");
    Files.createSymbolicLink(link, link);
    assertRefused(link + " is a link in a circle: correct the link", this::apply);
    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("/nowhere/devices.conf"));
    assertRefused(
        "folder /nowhere of "
            + link
            + " cannot be used (it is not there): name the right one, or make it",
        this::apply);
  }

  @Test
  void twoNamesOfOneFileAreRefused() throws IOException {
    Files.createSymbolicLink(config.devicesConf, config.gresConf);
    assertRefused(
        config.gresConf
            + " and "
            + config.devicesConf
            + " are the same file "
            + config.gresConf
            + ": make them two",
        () -> config.changes().apply(config.requested(), true));
  }

  @Test
  void namesThatArePathsAreRefused() {
    for (String name : List.of("../passwd", "/etc/passwd", "", "schedgpu-backup", ".hidden")) {
      assertThrows(GresException.class, () -> one(name, "x"), name);
    }
  }

  @Test
  void previewShowsTheDifferenceAndWritesNothing() throws IOException {
    Outcome preview = config.changes().preview(config.requested(), false);
    assertTrue(preview.changes());
    assertTrue(
        preview.diff(40).startsWith("==> " + config.gresConf + " <==\n@@ line 1 @@\n-# by hand\n"),
        preview.diff(40));
    config.assertOld();
    assertFalse(Files.exists(config.folder.resolve("schedgpu-backup")));
  }

  /**
   * Each file is written in the same folder and synced before its rename, and the folder
   * afterwards; the backup comes first.
   */
  @Test
  void everyRenameIsOfAFileOnTheDisk() {
    RecordingDisk disk = new RecordingDisk();
    config.changes(disk).apply(config.requested(), false);
    disk.assertRenamesAreDurable();
    disk.assertBefore("sync " + config.folder.resolve("schedgpu-backup"), "to " + config.gresConf);
  }

  @Test
  void aChangeOfManyLinesIsShortened() {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put("new.conf", ConfigFixture.bytes("line\n".repeat(10_000)));
    Outcome preview =
        config.changes().preview(new RequestedFiles(files, Map.of(), Set.of()), false);
    assertTrue(preview.diff(5).endsWith("+line\n... 9996 more lines\n"), preview.diff(5));
  }
}
