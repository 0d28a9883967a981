package org.schedgpu.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Runs the measurements in C. */
final class Harness {
  private final Settings settings;

  Harness(Settings settings) {
    this.settings = settings;
  }

  /**
   * Adds the results of the harness; its progress goes to our stderr.
   *
   * @throws BenchException if the harness is missing or fails
   */
  void run(Findings findings) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of(settings.harness().toString()));
    if (settings.quick()) {
      command.add("--quick");
    }
    if (!Files.isExecutable(settings.harness())) {
      throw new BenchException("bench: " + settings.harness() + " is not built: run make build");
    }
    try {
      int status = findings.addLinesOf(command);
      if (status != 0) {
        throw new BenchException("bench: the harness failed with status " + status);
      }
    } catch (IOException e) {
      throw new BenchException("bench: cannot run " + settings.harness(), e);
    }
  }
}
