package org.schedgpu.agent.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.schedgpu.jna.IoReason;

/** Writes a file as a whole or not at all. */
public final class ReportFile {
  private ReportFile() {}

  /**
   * Replaces a regular file. Anything else, such as /dev/stdout, is opened and written to.
   *
   * @throws ReportException if it cannot be written
   */
  public static void write(Path file, byte[] content) {
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        Files.write(file, content);
        return;
      }
      Path fresh =
          file.resolveSibling("." + file.getFileName() + "." + ProcessHandle.current().pid());
      try {
        Files.write(fresh, content);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(fresh);
      }
    } catch (IOException problem) {
      throw new ReportException(
          file
              + ": cannot be written ("
              + IoReason.of(problem)
              + "): choose another place with -o or --png",
          problem);
    }
  }
}
