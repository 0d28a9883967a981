package org.schedgpu.gres.change;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the changes of a folder left, beside what is there now. Only reads. */
public final class AppliedFiles {
  private final List<Backup> backups;

  private AppliedFiles(List<Backup> backups) {
    this.backups = backups;
  }

  /**
   * Reads the manifests of a configuration folder; none if nothing was ever applied there.
   *
   * @throws org.schedgpu.gres.common.GresException if one cannot be read
   */
  public static AppliedFiles of(Path folder) {
    return new AppliedFiles(new BackupStore(folder, new Disk()).all());
  }

  /** The change that began and neither ended nor was undone. */
  public Optional<String> interrupted() {
    return backups.stream()
        .map(Backup::manifest)
        .filter(manifest -> manifest.step().inProgress())
        .map(Manifest::id)
        .findFirst();
  }

  /**
   * Files, as they were named, whose bytes are not those of the latest change that is in force.
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
   * What a file holds, behind links; empty if there is none.
   *
   * @throws org.schedgpu.gres.common.GresException if it cannot be read
   */
  public static Optional<byte[]> content(Path path) {
    return Snapshot.ofPath(path).map(Snapshot::content);
  }
}
