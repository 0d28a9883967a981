package org.schedgpu.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What {@code schedgpu simulate} takes: 10^6 jobs on 1,000 nodes of 8 GPUs, an event with more
 * jobs, and a sweep on two cores. Each part plays in a JVM of its own.
 */
final class SimulatorMeasurements {
  private static final List<String> ONE_CORE =
      List.of("-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "-Xmx1200m");
  private static final List<String> TWO_CORES = List.of("-XX:ActiveProcessorCount=2", "-Xmx1200m");

  private final Settings settings;

  SimulatorMeasurements(Settings settings) {
    this.settings = settings;
  }

  /**
   * Adds what it took.
   *
   * @throws BenchException if it fails
   */
  void run(Findings findings) throws InterruptedException {
    boolean quick = settings.quick();
    List<String> sizes = quick ? List.of("20", "40", "60") : List.of("10000", "100000", "1000000");
    run(findings, ONE_CORE, List.of("command", sizes.get(2), quick ? "2" : "1000"));
    List<String> growth = new ArrayList<>(List.of("growth", quick ? "2" : "1000"));
    growth.addAll(sizes);
    run(findings, TWO_CORES, growth);
  }

  private void run(Findings findings, List<String> options, List<String> arguments)
      throws InterruptedException {
    try {
      Path folder = Files.createTempDirectory("schedgpu-bench-simulate");
      try {
        int status = run(findings, folder, options, arguments);
        if (status != 0) {
          throw new BenchException("bench: the simulator ended with status " + status);
        }
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new BenchException("bench: cannot run the simulator", e);
    }
  }

  private int run(Findings findings, Path folder, List<String> options, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add("-Dschedgpu.core.library=" + settings.coreLibrary());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(SimulatorRun.class.getName());
    command.add(arguments.get(0));
    command.add(folder.toString());
    command.addAll(arguments.subList(1, arguments.size()));
    return findings.addLinesOf(command);
  }

  private static void delete(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(folder)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
