package org.schedgpu.gres.change;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The change of one file.
 *
 * @param path as the caller named it
 * @param target the file itself; differs from {@code path} if that is a link
 * @param before empty if the file does not exist
 * @param after empty if the file is to be removed
 */
record FileChange(Path path, Path target, Optional<Snapshot> before, Optional<Snapshot> after) {
  /** The kind of change: created, replaced, removed or unchanged. */
  String word() {
    if (before.map(Snapshot::state).equals(after.map(Snapshot::state))) {
      return "unchanged";
    }
    if (before.isEmpty()) {
      return "created";
    }
    return after.isEmpty() ? "removed" : "replaced";
  }

  boolean changes() {
    return !word().equals("unchanged");
  }

  /** The lines that differ, at most {@code maxLines} of them. */
  String diff(int maxLines) {
    return LineDiff.of(
        before.map(Snapshot::content).orElse(new byte[0]),
        after.map(Snapshot::content).orElse(new byte[0]),
        maxLines);
  }
}
