package org.schedgpu.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the jobs of a demo run, and how its results are told. */
interface Workload {
  /** The programs, in the order of submission within a round. */
  List<Program> programs();

  /**
   * Puts what the jobs need into a folder that every user can read.
   *
   * @throws IOException if a file cannot be copied
   * @throws DemoException if something cannot be had
   */
  void install(Path folder) throws IOException;

  /** What the script of a program executes, installed in that folder. */
  String command(Path folder, Program program);

  /** Variables of the jobs, beside those of the device. */
  Map<String, String> environment();

  /** What runs, and which parts are not real. */
  String introduction(double scale);

  /** The results for people, at most 80 columns. */
  String text(double scale, List<RunResult> runs);

  /** What no schedule can beat; empty if nobody knows. */
  Optional<Bounds> bounds();

  /** The words of the picture. */
  Picture.Words words(double scale);

  /** The emulated device, for people. */
  default String device() {
    return "Emulated GPU, %,d MiB".formatted(programs().get(0).deviceMiB());
  }
}
