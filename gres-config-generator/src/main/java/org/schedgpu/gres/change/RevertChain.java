package org.schedgpu.gres.change;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;

/** Determines which changes a revert undoes, and whether all of them can be undone. */
final class RevertChain {
  private RevertChain() {}

  /**
   * The position of the oldest change to undo.
   *
   * @param to id or number of that change; empty: the latest change
   */
  static int first(List<Backup> all, Optional<String> to) {
    if (all.isEmpty()) {
      throw new GresException(
          "there is no backup (0 in " + BackupStore.FOLDER + ")",
          "name the folder that schedgpu gres apply changed with --folder");
    }
    if (to.isEmpty()) {
      return all.size() - 1;
    }
    for (int i = 0; i < all.size(); i++) {
      String id = all.get(i).manifest().id();
      if (id.equals(to.get()) || Integer.toString(Manifest.number(id)).equals(to.get())) {
        return i;
      }
    }
    throw new GresException(
        "there is no backup '" + to.get().replaceAll("\\p{Cntrl}", "?") + "'",
        "see schedgpu gres revert --list");
  }

  /**
   * Checks the whole chain in advance, so that nothing is undone if an older change would be
   * refused.
   *
   * @param backups oldest first
   */
  static void requireChain(List<Backup> backups, boolean force) {
    Map<Path, Optional<Snapshot>> files = new HashMap<>();
    for (int b = backups.size() - 1; b >= 0; b--) {
      Backup backup = backups.get(b);
      if (backup.manifest().step() == Manifest.Step.REVERTED) {
        continue;
      }
      backup.requireWhole();
      for (int i = 0; i < backup.manifest().files().size(); i++) {
        Manifest.Entry file = backup.manifest().files().get(i);
        Path target = Path.of(file.target());
        Optional<Snapshot> now =
            files.containsKey(target) ? files.get(target) : Snapshot.of(target);
        FileState state = now.map(Snapshot::state).orElse(null);
        boolean known = Objects.equals(state, file.before()) || Objects.equals(state, file.after());
        if (!known && !force) {
          throw ChangedFile.refusal(backup, i, now, false);
        }
        files.put(target, snapshot(backup, i, false));
      }
    }
  }

  /** The file changes that undoing a backup makes, according to its manifest. */
  static List<FileChange> changes(Backup backup) {
    List<FileChange> changes = new ArrayList<>();
    for (int i = 0; i < backup.manifest().files().size(); i++) {
      Manifest.Entry file = backup.manifest().files().get(i);
      changes.add(
          new FileChange(
              Path.of(file.path()),
              Path.of(file.target()),
              snapshot(backup, i, true),
              snapshot(backup, i, false)));
    }
    return changes;
  }

  private static Optional<Snapshot> snapshot(Backup backup, int index, boolean after) {
    FileState state = backup.manifest().files().get(index).goal(after);
    return Optional.ofNullable(state)
        .map(known -> new Snapshot(known, backup.content(index, after)));
  }
}
