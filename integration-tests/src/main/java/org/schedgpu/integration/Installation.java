package org.schedgpu.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.schedgpu.minicluster.ClusterPaths;

/**
 * schedGPU as installed on one cluster. Copies, because the build may be in a folder that ordinary
 * users cannot enter.
 *
 * @param paths the cluster's
 */
record Installation(ClusterPaths paths) {
  /** Where the binaries are. */
  Path folder() {
    return paths.files();
  }

  Path prolog() {
    return folder().resolve("schedgpu-prolog");
  }

  Path epilog() {
    return folder().resolve("schedgpu-epilog");
  }

  Path preloadLibrary() {
    return folder().resolve("libschedgpu-preload.so");
  }

  Path gpuUser() {
    return folder().resolve("gpu-user");
  }

  Path staticProgram() {
    return folder().resolve("static-program");
  }

  /** Beside slurm.conf, where prolog and epilog look first. */
  Path schedgpuConf() {
    return paths.etc().resolve("schedgpu.conf");
  }

  Path devicesConf() {
    return paths.etc().resolve("devices.conf");
  }

  String plugstackLine() {
    return "required %s conf=%s%n".formatted(folder().resolve("schedgpu.so"), schedgpuConf());
  }

  /** The schedgpu command for ordinary users; needs {@link #copyCommand}. */
  List<String> command() {
    Path here = folder().resolve("command");
    return List.of(
        "env",
        "SCHEDGPU_LIBRARY=" + here.resolve(Build.library().getFileName()),
        here.resolve(Build.command().getFileName()).toString());
  }

  void copyCommand() throws IOException {
    Path here = Files.createDirectory(folder().resolve("command"));
    Files.setPosixFilePermissions(here, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path built = Build.command();
    copy(
        List.of(
            built,
            built.resolveSibling("schedgpu.jar"),
            built.resolveSibling("libjnidispatch.so"),
            Build.library().resolveSibling("schedgpu-run"),
            Build.library()),
        here);
  }

  private static void copy(List<Path> files, Path folder) throws IOException {
    for (Path file : files) {
      Path copy = Files.copy(file, folder.resolve(file.getFileName()));
      Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  void copyBinaries() throws IOException {
    List<Path> binaries =
        new ArrayList<>(
            List.of(
                Build.plugin(),
                Build.prolog(),
                Build.epilog(),
                Build.preloadLibrary(),
                Build.launchesLibrary(),
                Build.gpuUser(),
                Build.staticProgram()));
    binaries.addAll(Build.emulator());
    copy(binaries, folder());
  }
}
