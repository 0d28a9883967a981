package org.schedgpu.simulator.answer;

import java.io.IOException;
import java.nio.file.Path;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.common.WholeFile;
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
      WholeFile.write(file, content);
    } catch (IOException problem) {
      throw new SimulatorException(
          file + ": cannot be written (" + IoReason.of(problem) + ")", "choose another place");
    }
  }
}
