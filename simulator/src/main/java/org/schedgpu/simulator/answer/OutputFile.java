package org.schedgpu.simulator.answer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.simulator.problem.SimulatorException;

/** Writes a file as a whole or not at all. */
public final class OutputFile {
  private OutputFile() {}

  /**
   * Replaces a regular file. Anything else, such as /dev/stdout, is opened and written to.
   *
   * @throws SimulatorException if it cannot be written
   */
  public static void write(Path file, byte[] content) {
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        Files.write(file, content);
        return;
      }
      Path whole = file.toAbsolutePath();
      String unique = ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime());
      Path fresh = whole.resolveSibling("." + whole.getFileName() + "." + unique);
      try {
        Files.write(fresh, content);
        Files.move(fresh, whole, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(fresh);
      }
    } catch (IOException problem) {
      throw new SimulatorException(
          file + ": cannot be written (" + IoReason.of(problem) + ")", "choose another place");
    }
  }
}
