package org.schedgpu.agent.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Tells whether a control group is frozen: with proctrack/cgroup Slurm suspends a job so, and its
 * processes are then in the state D or S as any other (cgroups(7), freezer; kernel documentation,
 * cgroup-v2, cgroup.events).
 */
final class Freezer {
  /** Where version 2 is mounted: alone, or beside version 1. */
  private static final List<String> UNIFIED = List.of(".", "unified");

  private final Path mount;

  /**
   * @param mount usually /sys/fs/cgroup
   */
  Freezer(Path mount) {
    this.mount = mount;
  }

  /**
   * True if one of the control groups, or one above it, is frozen or about to be; false if that
   * cannot be read.
   *
   * @param cgroups lines of /proc/PID/cgroup
   */
  boolean isFrozen(List<String> cgroups) {
    for (String line : cgroups) {
      String[] parts = line.split(":", 3); // number, controllers, path
      if (parts.length == 3 && isFrozen(parts[1], parts[2].replaceFirst("^/+", ""))) {
        return true;
      }
    }
    return false;
  }

  private boolean isFrozen(String controllers, String path) {
    if (List.of(controllers.split(",")).contains("freezer")) {
      String state = text(mount.resolve("freezer").resolve(path).resolve("freezer.state"));
      return state.startsWith("FROZEN") || state.startsWith("FREEZING");
    }
    return controllers.isEmpty()
        && UNIFIED.stream()
            .map(folder -> mount.resolve(folder).resolve(path).resolve("cgroup.events"))
            .anyMatch(file -> text(file).lines().anyMatch("frozen 1"::equals));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException absent) {
      return "";
    }
  }
}
