package org.schedgpu.gpucheck;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The paths in the unpacked bundle, as {@code src/main/sh/bundle} lays them out.
 *
 * @param root its folder
 */
record Bundle(Path root) {
  Bundle {
    root = root.toAbsolutePath().normalize();
  }

  Path program(String name) {
    return root.resolve("programs").resolve(name);
  }

  Path python(String name) {
    return root.resolve("python").resolve(name);
  }

  /** A source to be compiled if nvcc is installed. */
  Path source(String name) {
    return root.resolve("src").resolve(name);
  }

  /** Folder of the module {@code schedgpu}, for lane jobs. */
  Path pythonModule() {
    return root.resolve("product/share/schedgpu/python");
  }

  Path schedgpu() {
    return root.resolve("product/bin/schedgpu");
  }

  Path library(String name) {
    return root.resolve("product/lib").resolve(name);
  }

  /** {@code schedgpu-prolog} or {@code schedgpu-epilog}. */
  Path hook(String name) {
    return root.resolve("product/libexec/schedgpu").resolve(name);
  }

  Path preload() {
    return library("libschedgpu-preload.so");
  }

  /** The treatment of each function of the driver by the preload library. */
  Path entryPoints() {
    return root.resolve("entry_points.tsv");
  }

  /** The Java for the command: the same that runs the check. */
  static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /**
   * Stops if the bundle is not complete.
   *
   * @throws CheckException naming the first file that is missing
   */
  void require() {
    for (Path file :
        new Path[] {
          schedgpu(),
          preload(),
          hook("schedgpu-prolog"),
          program("device_program"),
          program("training"),
          entryPoints()
        }) {
      if (!Files.exists(file)) {
        throw new CheckException(file + " is missing: make the bundle again (make gpu-bundle)");
      }
    }
  }
}
