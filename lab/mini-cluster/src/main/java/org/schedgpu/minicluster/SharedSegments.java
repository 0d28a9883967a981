package org.schedgpu.minicluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The shared memory segments of schedGPU's regions below a folder. They outlive processes and
 * files, so remove them before the folder.
 */
public final class SharedSegments {
  private static final String DESCRIPTOR = "region";
  private static final String FIRST_WORDS = "schedgpu region ";
  private static final String NUMBER = "shmid ";

  private SharedSegments() {}

  /** Removes the segments that the regions below {@code folder} name; files stay. */
  public static void remove(Path folder) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      all.filter(path -> path.endsWith(DESCRIPTOR) && Files.isRegularFile(path))
          .forEach(SharedSegments::removeOne);
    } catch (IOException e) {
      throw new MiniClusterException("cannot look for regions in " + folder, e);
    }
  }

  /** Removes {@code folder} with all that is in it, segments included, if it exists. */
  public static void removeWith(Path folder) throws IOException {
    remove(folder);
    DirectoryTrees.delete(folder);
  }

  private static void removeOne(Path descriptor) {
    List<String> lines;
    try {
      lines = Files.readAllLines(descriptor);
    } catch (IOException e) {
      return; // gone, or no text
    }
    if (lines.isEmpty() || !lines.get(0).startsWith(FIRST_WORDS)) {
      return;
    }
    lines.stream()
        .filter(line -> line.startsWith(NUMBER))
        .forEach(line -> CommandRunner.run("ipcrm", "-m", line.substring(NUMBER.length())));
  }
}
