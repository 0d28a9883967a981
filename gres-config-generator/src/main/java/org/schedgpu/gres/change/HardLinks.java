package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.ArrayList;
import java.util.List;

/** A file is replaced by its name: other names of it, hard links, stay with what it was. */
final class HardLinks {
  private HardLinks() {}

  /** Of files that change and have several names. */
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
      return 1; // it was read a moment ago; who writes it next will tell
    }
  }
}
