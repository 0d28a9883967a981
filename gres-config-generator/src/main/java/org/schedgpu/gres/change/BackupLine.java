package org.schedgpu.gres.change;

import java.nio.file.Path;
import java.util.List;
import org.schedgpu.gres.common.GresException;

/**
 * A backup as {@code schedgpu gres revert --list} shows it.
 *
 * @param id name of the backup
 * @param created ISO 8601, UTC; null if it is broken
 * @param step applying, applied, reverting, reverted; broken
 * @param files paths of the files, as the change named them
 * @param problem what is wrong with it, or null
 */
public record BackupLine(
    String id, String created, String step, List<String> files, String problem) {

  static BackupLine of(Path folder, Disk disk) {
    String id = folder.getFileName().toString();
    try {
      Backup backup = Backup.open(folder, disk);
      backup.requireWhole();
      Manifest manifest = backup.manifest();
      List<String> files = manifest.files().stream().map(Manifest.Entry::path).toList();
      return new BackupLine(id, manifest.created(), manifest.step().word(), files, null);
    } catch (GresException e) {
      return new BackupLine(id, null, "broken", List.of(), e.getMessage());
    }
  }

  /** The names of the files without their folders. */
  public String fileNames() {
    return String.join(
        " ", files.stream().map(file -> Path.of(file).getFileName().toString()).toList());
  }
}
