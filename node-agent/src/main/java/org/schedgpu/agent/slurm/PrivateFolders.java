package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.agent.problem.Finding;

/**
 * Checks whether jobs can see the region's folder. With job_container/tmpfs, from Slurm 25.11 on
 * named namespace/tmpfs or namespace/linux, each job has its own /tmp and /dev/shm, which lack the
 * prolog's region. All jobs see a region below /run.
 */
public final class PrivateFolders {
  private static final List<String> KEYS = List.of("namespacetype", "jobcontainertype");

  /** The default of Dirs=. */
  private static final List<Path> PRIVATE = List.of(Path.of("/tmp"), Path.of("/dev/shm"));

  private PrivateFolders() {}

  /** A problem, or empty if jobs see the folder or slurm.conf cannot be read. */
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
