package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Does the step that a backup's manifest names, from any state: every file becomes what the step
 * wants, each atomically. The new content of all files is on the disk under temporary names before
 * the first file is replaced, so that a full disk or a missing permission is found before any
 * change.
 */
final class Replacement {
  private final Backup backup;
  private final Disk disk;
  private final List<String> notes = new ArrayList<>();

  Replacement(Backup backup, Disk disk) {
    this.backup = backup;
    this.disk = disk;
  }

  /** Copies that were kept because of {@code force}, one line for each. */
  List<String> notes() {
    return notes;
  }

  /**
   * Does the step and records that it is finished.
   *
   * @param force also replace a file that is neither the old nor the new one; the backup keeps a
   *     copy
   * @throws org.schedgpu.gres.common.GresException if there is such a file and {@code force} is not
   *     set, or a copy was changed; then no file was replaced
   * @throws IOException if the disk fails; some files may be replaced
   */
  void run(boolean force) throws IOException {
    Manifest manifest = backup.manifest();
    boolean forward = manifest.step().forward();
    backup.requireWhole();
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < manifest.files().size(); i++) {
      disk.delete(temporary(i));
      if (!isAtGoal(i, forward, force)) {
        open.add(i);
      }
    }
    for (int i : open) {
      stage(i, forward);
    }
    for (int i : open) {
      replace(i, forward);
    }
    backup.record(backup.manifest().at(manifest.step().end()));
  }

  /** Removes the temporary files after a failure. */
  void removeStaged() throws IOException {
    for (int i = 0; i < backup.manifest().files().size(); i++) {
      disk.delete(temporary(i));
    }
  }

  private Path target(int index) {
    return Path.of(backup.manifest().files().get(index).target());
  }

  /** In the folder of the target, because a rename is atomic only within a file system. */
  private Path temporary(int index) {
    Path target = target(index);
    return target.resolveSibling(
        "." + target.getFileName() + ".schedgpu-" + backup.manifest().id());
  }

  private boolean isAtGoal(int index, boolean forward, boolean force) throws IOException {
    Manifest.Entry file = backup.manifest().files().get(index);
    Optional<Snapshot> now = Snapshot.of(target(index));
    FileState state = now.map(Snapshot::state).orElse(null);
    if (Objects.equals(state, file.goal(forward))) {
      return true;
    }
    if (!Objects.equals(state, file.goal(!forward))) {
      if (!force) {
        throw ChangedFile.refusal(backup, index, now, forward);
      }
      if (now.isPresent()) {
        keep(index, now.get());
      }
    }
    return false;
  }

  private void keep(int index, Snapshot now) throws IOException {
    Path name = target(index).getFileName();
    Path copy =
        backup
            .folder()
            .resolve("%d-%s.kept-%d".formatted(index, name, Instant.now().toEpochMilli()));
    disk.write(copy, now.content());
    disk.sync(copy);
    disk.sync(backup.folder());
    notes.add(target(index) + " was changed by another program or user; it is kept as " + copy);
  }

  private void stage(int index, boolean forward) throws IOException {
    FileState goal = backup.manifest().files().get(index).goal(forward);
    if (goal != null) {
      Path temporary = temporary(index);
      disk.write(temporary, backup.content(index, forward));
      disk.own(temporary, goal);
      disk.sync(temporary);
    }
  }

  private void replace(int index, boolean forward) throws IOException {
    Path target = target(index);
    if (backup.manifest().files().get(index).goal(forward) == null) {
      disk.delete(target);
    } else {
      disk.rename(temporary(index), target);
    }
    disk.sync(target.getParent());
    backup.record(backup.manifest().withDone(index));
  }
}
