package org.schedgpu.demo;

import java.nio.file.Path;
import java.util.List;

/** Placeholder. */
record Picture(double scale, String device, List<RunResult> runs) {
  void write(Path folder) {}
}
