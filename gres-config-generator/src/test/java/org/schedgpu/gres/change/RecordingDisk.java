package org.schedgpu.gres.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A disk that records its operations in order. */
final class RecordingDisk extends Disk {
  private final List<String> log = new ArrayList<>();

  @Override
  void sync(Path fileOrFolder) throws IOException {
    super.sync(fileOrFolder);
    log.add("sync " + fileOrFolder);
  }

  @Override
  void own(Path file, FileState state) throws IOException {
    super.own(file, state);
    log.add("own " + file);
  }

  @Override
  void rename(Path from, Path to) throws IOException {
    super.rename(from, to);
    log.add("from " + from);
    log.add("to " + to);
  }

  /**
   * The last operation on a file before its rename is its sync; the next one after it syncs its
   * folder.
   */
  void assertRenamesAreDurable() {
    int renames = 0;
    for (int i = 0; i < log.size(); i++) {
      if (log.get(i).startsWith("from ")) {
        String from = log.get(i).substring(5);
        Path to = Path.of(log.get(i + 1).substring(3));
        assertEquals(Path.of(from).getParent(), to.getParent());
        List<String> before = log.subList(0, i).stream().filter(l -> l.endsWith(from)).toList();
        assertEquals("sync " + from, before.get(before.size() - 1));
        assertEquals("sync " + to.getParent(), log.get(i + 2));
        renames++;
      }
    }
    assertTrue(renames > 4, "renames: " + renames);
  }

  void assertBefore(String first, String second) {
    assertTrue(log.contains(first) && log.indexOf(first) < log.indexOf(second), log::toString);
  }
}
