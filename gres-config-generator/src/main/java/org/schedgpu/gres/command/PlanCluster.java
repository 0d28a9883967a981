package org.schedgpu.gres.command;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.files.CurrentGresConf;
import org.schedgpu.gres.files.GresFiles;
import picocli.CommandLine.Option;

/** The options of {@code plan} that name the cluster's own files. */
final class PlanCluster {
  @Option(
      names = "--slurm-conf",
      paramLabel = "FILE",
      description = "The cluster's slurm.conf; it and its includes become part of the plan.")
  Path slurmConf;

  @Option(
      names = "--gres-conf",
      paramLabel = "FILE",
      description =
          "The gres.conf in place: what it has of other nodes and GRES stays. Default: beside "
              + "--slurm-conf, if it is there.")
  Path gresConf;

  @Option(
      names = "--remove-shards",
      description = "Takes shard and mps of the planned nodes out of both files.")
  boolean removeShards;

  @Option(
      names = "--remove-missing",
      description = "Takes devices that the facts lack out of the cluster.")
  boolean removeMissing;

  @Option(
      names = "--slurm-version",
      paramLabel = "V",
      description =
          "Slurm's version, such as 22.05. Default: that of the slurmctld of --live, else the one"
              + " installed here.")
  String slurmVersion;

  /** The current slurm.conf, if it is given. */
  Optional<CurrentCluster> now() {
    return Optional.ofNullable(slurmConf).map(CurrentCluster::read);
  }

  /** The current gres.conf, if it exists. */
  Optional<CurrentGresConf> gresConf(
      Optional<CurrentCluster> slurm, Function<String, String> gresOf) {
    return Optional.ofNullable(gresConf)
        .or(() -> Optional.ofNullable(slurmConf).map(PlanCluster::beside).filter(Files::exists))
        .map(file -> CurrentGresConf.read(file, slurm.map(CurrentCluster::nodeNames), gresOf));
  }

  private static Path beside(Path file) {
    return file.toAbsolutePath().resolveSibling(GresFiles.GRES_CONF);
  }

  /**
   * The version of Slurm, which must be able to do what a plan needs.
   *
   * @param live version of the slurmctld that was asked, if one was
   */
  SlurmVersion version(Optional<SlurmVersion> live) {
    SlurmVersion version =
        Optional.ofNullable(slurmVersion)
            .map(SlurmVersion::parse)
            .or(() -> live)
            .or(SlurmVersion::installed)
            .orElse(SlurmVersion.BASE);
    version.require();
    return version;
  }

  /** Notes on how the version was found. */
  List<String> versionNotes(SlurmVersion version, Optional<SlurmVersion> live) {
    if (slurmVersion != null || live.isPresent() || SlurmVersion.installed().isPresent()) {
      return List.of();
    }
    return List.of(
        "which Slurm reads the files is not known here, they are written for %s: name it with"
                .formatted(version)
            + " --slurm-version, or ask slurmctld with --live");
  }
}
