package org.schedgpu.integration;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The project's binaries after its build. The property schedgpu.build names its root. */
final class Build {
  private static final Path ROOT =
      Path.of(System.getProperty("schedgpu.build", "..")).toAbsolutePath().normalize();

  private Build() {}

  /** The project's root. */
  static Path root() {
    return ROOT;
  }

  /** What plugstack.conf names. */
  static Path plugin() {
    return built("spank-plugin-c/target/native/schedgpu.so");
  }

  /** Slurm's Prolog. */
  static Path prolog() {
    return built("slurm-prolog/target/native/schedgpu-prolog");
  }

  /** Slurm's Epilog. */
  static Path epilog() {
    return built("slurm-epilog/target/native/schedgpu-epilog");
  }

  /** The library that the plugin puts into LD_PRELOAD. */
  static Path preloadLibrary() {
    return built("libschedgpu/target/native/libschedgpu-preload.so");
  }

  /** What comes before it in jobs with a share. */
  static Path launchesLibrary() {
    return built("libschedgpu/target/native/libschedgpu-launches.so");
  }

  /** The emulated driver, runtime and NVML. */
  static List<Path> emulator() {
    return List.of(
        built("lab/gpu-emulator/target/native/libcuda.so.1"),
        built("lab/gpu-emulator/target/native/libcudart.so.12"),
        built("lab/gpu-emulator/target/native/libnvidia-ml.so.1"));
  }

  /** Lists the emulated devices. */
  static Path emulatorCommand() {
    return built("lab/gpu-emulator/target/native/emulated-gpu-smi");
  }

  /** The program that the jobs of these tests run: src/test/c/gpu_user.c. */
  static Path gpuUser() {
    return built("integration-tests/target/native/gpu-user");
  }

  /** A program without a dynamic linker: src/test/c/static_program.c. */
  static Path staticProgram() {
    return built("integration-tests/target/native/static-program");
  }

  /** What the schedgpu command loads. */
  static Path library() {
    return built("libschedgpu/target/native/libschedgpu.so");
  }

  /** The launcher of the schedgpu command. */
  static Path command() {
    return built("node-agent/target/schedgpu");
  }

  /** The demo's runner. */
  static Path demo() {
    return built("lab/demo/src/main/sh/demo");
  }

  /** The runner of the demo of lanes. */
  static Path demoLanes() {
    return built("lab/demo/src/main/sh/demo-lanes");
  }

  private static Path built(String path) {
    Path file = ROOT.resolve(path);
    if (!Files.exists(file)) {
      throw new IllegalStateException(
          "integration-tests: " + file + " is not there: run `make build` first");
    }
    return file;
  }
}
