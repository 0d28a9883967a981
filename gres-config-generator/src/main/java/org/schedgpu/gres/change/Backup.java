package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.common.Json;

/** One backup: a folder with the manifest and a copy of every file before and after the change. */
final class Backup {
  private final Path folder;
  private final Disk disk;
  private Manifest manifest;

  private Backup(Path folder, Disk disk, Manifest manifest) {
    this.folder = folder;
    this.disk = disk;
    this.manifest = manifest;
  }

  static Backup of(Path folder, Disk disk, Manifest manifest) {
    return new Backup(folder, disk, manifest);
  }

  /**
   * Reads the manifest of a backup, but not its copies.
   *
   * @throws GresException if the manifest cannot be read or is not valid
   */
  static Backup open(Path folder, Disk disk) {
    Path file = folder.resolve(Manifest.FILE);
    String place = "manifest " + file;
    String json;
    try {
      json = Files.readString(file);
    } catch (IOException e) {
      throw new GresException(
          place + " cannot be read (" + IoReason.of(e) + ")", Manifest.BROKEN, e);
    }
    Manifest manifest = Json.read(json, Manifest.class, place, Manifest.BROKEN);
    if (!manifest.id().equals(folder.getFileName().toString())) {
      throw new GresException(
          place + " is of the backup " + manifest.id(), "give the folder its name back");
    }
    return new Backup(folder, disk, manifest);
  }

  Manifest manifest() {
    return manifest;
  }

  Path folder() {
    return folder;
  }

  /** The copy of a file. It exists if the file existed before the change, or exists after it. */
  Path copy(int index, boolean after) {
    Path name = Path.of(manifest.files().get(index).path()).getFileName();
    return folder.resolve(index + "-" + name + (after ? ".after" : ".before"));
  }

  /**
   * The bytes of a copy.
   *
   * @throws GresException if they differ from the bytes that were stored
   */
  byte[] content(int index, boolean after) {
    Path copy = copy(index, after);
    Snapshot found =
        Snapshot.of(copy)
            .orElseThrow(
                () -> new GresException("copy " + copy + " is not there", Manifest.BROKEN));
    if (!found.state().sameBytes(manifest.files().get(index).goal(after))) {
      throw new GresException(
          "copy " + copy + " was changed, its sha256 is not the manifest's", Manifest.BROKEN);
    }
    return found.content();
  }

  /** Checks that every copy has the bytes that were stored. */
  void requireWhole() {
    for (int i = 0; i < manifest.files().size(); i++) {
      for (boolean after : new boolean[] {false, true}) {
        if (manifest.files().get(i).goal(after) != null) {
          content(i, after);
        }
      }
    }
  }

  /** Replaces the manifest, in one atomic step. */
  void record(Manifest next) throws IOException {
    Path fresh = folder.resolve(Manifest.FILE + ".new");
    disk.write(fresh, Json.write(next).getBytes(StandardCharsets.UTF_8));
    disk.sync(fresh);
    disk.rename(fresh, folder.resolve(Manifest.FILE));
    disk.sync(folder);
    manifest = next;
  }
}
