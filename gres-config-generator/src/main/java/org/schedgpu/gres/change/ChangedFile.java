package org.schedgpu.gres.change;

import java.util.Optional;
import org.schedgpu.gres.common.GresException;

/**
 * Describes how a file was changed by somebody else: the kind of change, and the lines that differ.
 */
final class ChangedFile {
  private static final int DIFF_LINES = 12;

  private ChangedFile() {}

  /** Describes the difference between two states; at most one of them is null. */
  static String how(FileState expected, FileState now) {
    if (now == null) {
      return "was removed";
    }
    if (expected == null) {
      return "was made";
    }
    if (!expected.sameBytes(now)) {
      return "was changed";
    }
    return expected.mode().equals(now.mode())
        ? "got another owner or group (%d:%d, was %d:%d)"
            .formatted(now.owner(), now.group(), expected.owner(), expected.group())
        : "got another mode (%s, was %s)".formatted(now.mode(), expected.mode());
  }

  /** The error for a step that is refused because of one file of its backup. */
  static GresException refusal(Backup backup, int index, Optional<Snapshot> now, boolean forward) {
    Manifest.Entry file = backup.manifest().files().get(index);
    FileState expected = file.goal(!forward);
    return refusal(
        "%s %s since %s %s"
            .formatted(
                file.target(),
                how(expected, now.map(Snapshot::state).orElse(null)),
                forward ? "the backup" : "it was applied, backup",
                backup.manifest().id()),
        "check what was changed, then repeat with --force: the backup keeps the file",
        LineDiff.of(
            expected == null ? new byte[0] : backup.content(index, !forward),
            now.map(Snapshot::content).orElse(new byte[0]),
            DIFF_LINES));
  }

  /** An error with the message on one line, as for all errors, and the difference below it. */
  static GresException refusal(String problem, String action, String diff) {
    return new GresException(
        problem, diff.isEmpty() ? action : action + "\n" + diff.stripTrailing());
  }
}
