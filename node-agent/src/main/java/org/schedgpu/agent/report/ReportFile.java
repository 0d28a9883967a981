package org.schedgpu.agent.report;

import java.io.IOException;
import java.nio.file.Path;
import org.schedgpu.gres.common.WholeFile;
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
      WholeFile.write(file, content);
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
