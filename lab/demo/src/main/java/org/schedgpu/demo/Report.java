package org.schedgpu.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The results, for people and for programs.
 *
 * @param settings what was asked for
 * @param deviceMiB memory of the emulated device
 * @param runs in the order in which they ran
 * @param bounds what no schedule can beat
 */
record Report(Settings settings, long deviceMiB, List<RunResult> runs, Bounds bounds) {
  /** What runs, and which parts are not real. */
  static String introduction(long deviceMiB, double scale) {
    return String.format(
        Locale.ROOT,
        """
        The workload of the schedGPU paper (section 7.3.2): 4 x ARA, 4 x MUMmerGPU and
        4 x GPU-BLAST, one of each in turn, on a real Slurm with one node of 12 CPUs.
        The GPU (%,d MiB) is EMULATED: kernels take time and compute nothing.
        CPU phases are SLEEPS. Everything runs %.0f times faster than on the paper's
        test-bed; seconds are scaled back to it. DEMO_SCALE changes the factor.

        """,
        deviceMiB,
        scale);
  }

  /** Table and analysis. */
  String text() {
    return "\nTable 3 of the paper, and the same here (emulated GPU, scale %.0f)\n\n%s\n%s"
        .formatted(settings.scale(), Table3.text(runs), Analysis.text(runs, bounds));
  }

  private String device() {
    return String.format(Locale.ROOT, "Emulated GPU, %,d MiB", deviceMiB);
  }

  /**
   * Writes result.json, demo.txt and the picture.
   *
   * @throws DemoException if a file cannot be written
   */
  void write() {
    Path folder = settings.output();
    try {
      Files.createDirectories(folder);
      Files.writeString(
          folder.resolve("demo.txt"), introduction(deviceMiB, settings.scale()) + text());
    } catch (IOException e) {
      throw new DemoException("cannot write into " + folder, e);
    }
    ResultJson.write(folder.resolve("result.json"), settings.scale(), device(), runs, bounds);
    new Picture(settings.scale(), device(), runs).write(folder);
  }
}
