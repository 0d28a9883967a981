package org.schedgpu.gres.change;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What shall become of one file.
 *
 * @param path as it was named
 * @param target where its bytes are: another path if {@code path} is a link
 * @param before empty: there is no file
 * @param after empty: there shall be none
 */
record FileChange(Path path, Path target, Optional<Snapshot> before, Optional<Snapshot> after) {
  /** created, replaced, removed or unchanged. */
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

  /** The difference as lines, at most so many. */
  String diff(int maxLines) {
    return LineDiff.of(
        before.map(Snapshot::content).orElse(new byte[0]),
        after.map(Snapshot::content).orElse(new byte[0]),
        maxLines);
  }
}
