package org.schedgpu.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;

/** A node with jobs and attached processes for measurements; it ends with this object. */
final class BusyNode implements AutoCloseable {
  private final Process process;
  private final Path folder;

  BusyNode(Settings settings) {
    Path program = settings.root().resolve("lab/bench/target/native/busy-node");
    try {
      process =
          new ProcessBuilder(program.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      BufferedReader lines = process.inputReader();
      String line = lines.readLine();
      if (line == null) {
        throw new BenchException("bench: " + program + " told no folder");
      }
      folder = Path.of(line);
    } catch (IOException e) {
      throw new BenchException("bench: cannot run " + program + ": run make build", e);
    }
  }

  /** The run directory of its region. */
  Path folder() {
    return folder;
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      process.waitFor();
    } catch (IOException e) {
      process.destroy();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
