package org.schedgpu.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The user's settings, from environment variables.
 *
 * @param scale {@code DEMO_SCALE}: how many times faster than on the paper's test-bed, 1 to 1000
 * @param runs {@code DEMO_RUNS}: some of the runs, comma separated; or {@code DEMO_POLICIES}: some
 *     policies, or all, with the runs without schedGPU
 * @param pytorch {@code DEMO_PROGRAMS=pytorch}: trainings by PyTorch instead of the paper's
 *     programs
 * @param output {@code DEMO_OUTPUT}: the folder of the results
 */
record Settings(double scale, List<RunKind> runs, boolean pytorch, Path output) {
  /** The six runs of the paper take less than five minutes on two cores. */
  static final double DEFAULT_SCALE = 20;

  private static final double MAX_SCALE = 1000;

  /**
   * Reads the variables.
   *
   * @param root folder of the project, for the default of the output
   * @throws DemoException if one has a bad value
   */
  static Settings of(Map<String, String> environment, Path root) {
    String output = environment.getOrDefault("DEMO_OUTPUT", "");
    boolean pytorch = pytorch(environment.getOrDefault("DEMO_PROGRAMS", ""));
    String folder = pytorch ? "target/demo-pytorch" : "target/demo";
    return new Settings(
        pytorch ? 1 : scale(environment.getOrDefault("DEMO_SCALE", "")),
        runs(
            environment.getOrDefault("DEMO_RUNS", ""),
            environment.getOrDefault("DEMO_POLICIES", ""),
            pytorch ? RunKind.OF_PYTORCH : RunKind.OF_THE_PAPER),
        pytorch,
        output.isBlank() ? root.resolve(folder) : Path.of(output).toAbsolutePath());
  }

  private static boolean pytorch(String programs) {
    return switch (programs) {
      case "", "paper" -> false;
      case "pytorch" -> true;
      default -> throw new DemoException("DEMO_PROGRAMS='" + programs + "': use paper or pytorch");
    };
  }

  private static List<RunKind> runs(String runs, String policies, List<RunKind> usual) {
    if (!runs.isBlank() && !policies.isBlank()) {
      throw new DemoException("DEMO_RUNS and DEMO_POLICIES are set: set one of them");
    }
    if (!policies.isBlank()) {
      return RunKind.withPolicies(policies);
    }
    return runs.isBlank() ? usual : RunKind.listOf(runs);
  }

  private static double scale(String text) {
    if (text.isBlank()) {
      return DEFAULT_SCALE;
    }
    try {
      double scale = Double.parseDouble(text);
      if (scale >= 1 && scale <= MAX_SCALE) {
        return scale;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new DemoException("DEMO_SCALE='" + text + "': use a number from 1 to 1000");
  }
}
