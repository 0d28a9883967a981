package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.agent.problem.Finding;

/**
 * Whether jobs see the region's folder. With job_container/tmpfs, from Slurm 25.11 on named
 * namespace/tmpfs or namespace/linux, each job has a /tmp and a /dev/shm of its own, in which the
 * prolog's region is not; a region below /run is seen by all.
 */
public final class PrivateFolders {
  private static final List<String> KEYS = List.of("namespacetype", "jobcontainertype");

  /** What Dirs= is if the site does not say otherwise. */
  private static final List<Path> PRIVATE = List.of(Path.of("/tmp"), Path.of("/dev/shm"));

  private PrivateFolders() {}

  /** A problem, or empty where jobs see the folder or slurm.conf cannot be read. */
  public static Optional<Finding> check(Path slurmConf, Path runDir) {
    if (PRIVATE.stream().noneMatch(runDir::startsWith)) {
      return Optional.empty();
    }
    return KEYS.stream()
        .flatMap(key -> plugin(slurmConf, key).stream())
        .findFirst()
        .map(
            plugin ->
                Finding.problem(
                    "run-dir",
                    "%s is not what jobs see there: with %s each has its own"
                        .formatted(runDir, plugin),
                    "set RunDir to a folder below /run"));
  }

  private static Optional<String> plugin(Path slurmConf, String key) {
    try {
      return SlurmSetup.value(slurmConf, key)
          .filter(value -> !value.toLowerCase(Locale.ROOT).endsWith("/none"));
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }
}
