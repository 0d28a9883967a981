package org.schedgpu.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The build's output that the demo runs.
 *
 * @param root folder of the project
 */
record Artifacts(Path root) {
  private static final String NATIVE = "target/native";

  /** A program of the workload. */
  Path program(String name) {
    return root.resolve("lab/demo").resolve(NATIVE).resolve(name);
  }

  Path sampler() {
    return program("gpu-sampler");
  }

  /** The emulator's libraries, with the names that programs load. */
  List<Path> emulatorLibraries() {
    Path folder = root.resolve("lab/gpu-emulator").resolve(NATIVE);
    return Stream.of("libcuda.so.1", "libcudart.so.12", "libnvidia-ml.so.1")
        .map(folder::resolve)
        .toList();
  }

  /** One of our programs, ready to start, with the emulator's libraries; its errors go to ours. */
  ProcessBuilder command(Path program, String... arguments) {
    List<String> words = new ArrayList<>(List.of(program.toString()));
    words.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(words);
    String libraries = emulatorLibraries().get(0).getParent().toString();
    builder.environment().put("LD_LIBRARY_PATH", libraries);
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  /** The shipped command. */
  Path schedgpu() {
    return root.resolve("node-agent/target/schedgpu");
  }

  Path preload() {
    return root.resolve("libschedgpu").resolve(NATIVE).resolve("libschedgpu-preload.so");
  }

  Path spankPlugin() {
    return root.resolve("spank-plugin-c").resolve(NATIVE).resolve("schedgpu.so");
  }

  Path prolog() {
    return root.resolve("slurm-prolog").resolve(NATIVE).resolve("schedgpu-prolog");
  }

  Path epilog() {
    return root.resolve("slurm-epilog").resolve(NATIVE).resolve("schedgpu-epilog");
  }

  /**
   * Checks that everything for these runs exists.
   *
   * @throws DemoException with what is missing
   */
  void require(List<RunKind> runs) {
    Stream<Path> always =
        Stream.concat(
            Stream.concat(Program.NAMES.stream().map(this::program), Stream.of(sampler())),
            emulatorLibraries().stream());
    Stream<Path> scheduled =
        runs.stream().anyMatch(RunKind::isScheduled)
            ? Stream.of(preload(), spankPlugin(), prolog(), epilog())
            : Stream.empty();
    require(Stream.concat(always, scheduled));
  }

  /**
   * Checks that everything for demo-lanes exists.
   *
   * @throws DemoException with what is missing
   */
  void requireLanes() {
    require(
        Stream.concat(
            Stream.of(program("training"), sampler(), schedgpu(), preload()),
            emulatorLibraries().stream()));
  }

  private void require(Stream<Path> needed) {
    List<String> missing =
        needed
            .filter(path -> !Files.exists(path))
            .map(path -> root.relativize(path).toString())
            .toList();
    if (!missing.isEmpty()) {
      throw new DemoException("not built: " + String.join(", ", missing) + ": run make build");
    }
  }
}
