package org.schedgpu.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The user's settings of demo-lanes, from environment variables.
 *
 * @param isShort {@code DEMO_LANES=short}: ten times shorter; all trainings arrive while the first
 *     is in its first iteration
 * @param output {@code DEMO_OUTPUT}: the folder of the results
 */
record LaneSettings(boolean isShort, Path output) {
  private static final int SHORTER = 10;

  /**
   * Reads the variables.
   *
   * @param root folder of the project, for the default of the output
   * @throws DemoException if one has a bad value
   */
  static LaneSettings of(Map<String, String> environment, Path root) {
    String output = environment.getOrDefault("DEMO_OUTPUT", "");
    String length = environment.getOrDefault("DEMO_LANES", "");
    if (!List.of("", "full", "short").contains(length)) {
      throw new DemoException("DEMO_LANES='" + length + "': use full or short");
    }
    return new LaneSettings(
        length.equals("short"),
        output.isBlank() ? root.resolve("target/demo-lanes") : Path.of(output).toAbsolutePath());
  }

  List<Scenario> scenarios() {
    int scale = isShort ? SHORTER : 1;
    return List.of(Scenario.fair(scale, isShort), Scenario.srtf(scale, isShort));
  }
}
