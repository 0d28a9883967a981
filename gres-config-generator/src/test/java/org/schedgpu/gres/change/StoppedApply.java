package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * A run that waits forever after it has replaced the first file, and reports that on its output, so
 * that the test can kill it.
 */
public final class StoppedApply {
  private StoppedApply() {}

  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    Disk disk =
        new Disk() {
          @Override
          void rename(Path from, Path to) throws IOException {
            super.rename(from, to);
            if (to.endsWith("a.conf")) {
              stop();
            }
          }
        };
    new ConfigChanges(folder, disk, ConfigFixture.CLOCK).apply(requested(), true);
  }

  static RequestedFiles requested() {
    Map<String, byte[]> files = new java.util.LinkedHashMap<>();
    files.put("a.conf", ConfigFixture.bytes("new a\n"));
    files.put("b.conf", ConfigFixture.bytes("new b\n"));
    return new RequestedFiles(files, Map.of(), Set.of("a.conf", "b.conf"));
  }

  private static void stop() throws IOException {
    System.out.println("stopped");
    int ignored = System.in.read();
    throw new IOException("was let go: " + ignored);
  }
}
