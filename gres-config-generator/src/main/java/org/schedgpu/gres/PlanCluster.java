package org.schedgpu.gres;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of {@code plan} that say where the cluster's own files are. */
final class PlanCluster {
  @Option(
      names = "--slurm-conf",
      paramLabel = "FILE",
      description = "The cluster's slurm.conf, to tell what the nodes have now. Only read.")
  Path slurmConf;

  /** What slurm.conf has now, if it is given. */
  Optional<ClusterNow> now() {
    return Optional.ofNullable(slurmConf).map(ClusterNow::read);
  }
}
