package org.schedgpu.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The results, for people and for programs.
 *
 * @param settings what was asked for
 * @param workload what ran
 * @param runs in the order in which they ran
 */
record Report(Settings settings, Workload workload, List<RunResult> runs) {
  /** Table and analysis. */
  String text() {
    return workload.text(settings.scale(), runs);
  }

  /**
   * Writes result.json, demo.txt and the picture.
   *
   * @throws DemoException if a file cannot be written
   */
  void write() {
    Path folder = settings.output();
    double scale = settings.scale();
    try {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("demo.txt"), workload.introduction(scale) + text());
    } catch (IOException e) {
      throw new DemoException("cannot write into " + folder, e);
    }
    ResultJson.write(folder.resolve("result.json"), scale, workload, runs);
    new Picture(workload.words(scale), runs).write(folder);
  }
}
