package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.gres.common.SlurmVersion;

/**
 * Checks whether cgroup.conf has CgroupAutomount, which Slurm dropped in 23.11: slurmd and each
 * step then log an error, and continue.
 */
public final class OldCgroupConf {
  private static final SlurmVersion DROPPED = new SlurmVersion(23, 11);
  private static final String KEY = "CgroupAutomount";

  private OldCgroupConf() {}

  /**
   * A problem, or empty.
   *
   * @param release asked only if the key is present; empty if Slurm does not report its release
   */
  public static Optional<Finding> check(Path slurmConf, Supplier<Optional<SlurmVersion>> release) {
    Path file = slurmConf.resolveSibling("cgroup.conf");
    return hasKey(file)
        ? release
            .get()
            .filter(slurm -> slurm.compareTo(DROPPED) >= 0)
            .map(slurm -> problem(file, slurm))
        : Optional.empty();
  }

  private static Finding problem(Path file, SlurmVersion slurm) {
    return Finding.problem(
        "cgroup",
        "%s has %s, which Slurm %s does not know: slurmd logs an error and continues"
            .formatted(file, KEY, slurm),
        "remove the line");
  }

  private static boolean hasKey(Path file) {
    String key = KEY.toLowerCase(Locale.ROOT);
    try {
      return Files.readAllLines(file, StandardCharsets.ISO_8859_1).stream()
          .anyMatch(line -> line.strip().toLowerCase(Locale.ROOT).startsWith(key));
    } catch (IOException unreadable) {
      return false;
    }
  }
}
