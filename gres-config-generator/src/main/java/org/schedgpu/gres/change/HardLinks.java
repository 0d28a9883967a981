package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Warns of hard links. Replacing a file replaces one name; its other names keep the old content.
 */
final class HardLinks {
  private HardLinks() {}

  /** Notes for changed files that have several names. */
  static List<String> notes(List<FileChange> changes) {
    List<String> notes = new ArrayList<>();
    for (FileChange change : changes) {
      if (change.changes() && change.before().isPresent() && names(change) > 1) {
        notes.add(
            "%s has %d names (hard links): the others keep what it is now; find them with find -samefile"
                .formatted(change.target(), names(change)));
      }
    }
    return notes;
  }

  private static int names(FileChange change) {
    try {
      return (int) Files.getAttribute(change.target(), "unix:nlink", LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      return 1; // it could be read a moment ago; the next access reports the error
    }
  }
}
