package org.schedgpu.gres.change;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares what the applied changes of a folder left with the files in place. Only reads. */
public final class AppliedFiles {
  private final List<Backup> backups;

  private AppliedFiles(List<Backup> backups) {
    this.backups = backups;
  }

  /**
   * Reads the manifests of a configuration folder; empty if no change was ever applied there.
   *
   * @throws org.schedgpu.gres.common.GresException if one cannot be read
   */
  public static AppliedFiles of(Path folder) {
    return new AppliedFiles(new BackupStore(folder, new Disk()).all());
  }

  /** The change that was interrupted: it began, and was neither finished nor undone. */
  public Optional<String> interrupted() {
    return backups.stream()
        .map(Backup::manifest)
        .filter(manifest -> manifest.step().inProgress())
        .map(Manifest::id)
        .findFirst();
  }

  /**
   * Files whose content differs from the latest change in force, by the names that the change used.
   *
   * @throws org.schedgpu.gres.common.GresException if one cannot be read
   */
  public List<Path> changed() {
    Map<String, Manifest.Entry> latest = new LinkedHashMap<>();
    for (Backup backup : backups) {
      if (backup.manifest().step() == Manifest.Step.APPLIED) {
        backup.manifest().files().forEach(file -> latest.put(file.target(), file));
      }
    }
    List<Path> changed = new ArrayList<>();
    for (Manifest.Entry file : latest.values()) {
      Optional<String> now = Snapshot.of(Path.of(file.target())).map(s -> s.state().sha256());
      Optional<String> then = Optional.ofNullable(file.after()).map(FileState::sha256);
      if (!now.equals(then)) {
        changed.add(Path.of(file.path()));
      }
    }
    return changed;
  }

  /**
   * The content of a file, links followed; empty if there is no file.
   *
   * @throws org.schedgpu.gres.common.GresException if it cannot be read
   */
  public static Optional<byte[]> content(Path path) {
    return Snapshot.ofPath(path).map(Snapshot::content);
  }
}
