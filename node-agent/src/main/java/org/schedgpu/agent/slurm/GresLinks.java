package org.schedgpu.agent.slurm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.files.OutdatedLinks;

/**
 * Checks whether Links= in gres.conf, as schedgpu gres plan wrote it, suits the Slurm of this node.
 */
public final class GresLinks {
  private static final String WHAT = "gres";

  private GresLinks() {}

  /**
   * Empty if there is no problem, no gres.conf or no Slurm.
   *
   * @param slurmConf gres.conf is beside it
   * @param version of the installed Slurm
   */
  public static Optional<Finding> check(Path slurmConf, Supplier<Optional<SlurmVersion>> version) {
    Path gresConf = slurmConf.resolveSibling("gres.conf");
    if (!Files.exists(gresConf)) {
      return Optional.empty();
    }
    try {
      return version.get().map(slurm -> check(gresConf, slurm));
    } catch (GresException problem) {
      return Optional.of(
          Finding.problem(WHAT, problem.getMessage(), "correct that: slurmd reads the file"));
    }
  }

  private static Finding check(Path gresConf, SlurmVersion slurm) {
    return OutdatedLinks.of(gresConf, slurm)
        .map(old -> Finding.problem(WHAT, old.what(), old.action()))
        .orElseGet(() -> Finding.ok(WHAT, gresConf + " is written for Slurm " + slurm));
  }
}
