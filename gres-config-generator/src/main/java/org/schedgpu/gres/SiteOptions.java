package org.schedgpu.gres;

import java.nio.file.Path;
import java.util.Optional;
import org.schedgpu.gres.site.SiteWishes;
import picocli.CommandLine.Option;

/** Options of plan for the site's own files; they need --slurm-conf. */
final class SiteOptions {
  @Option(
      names = "--slurm-conf",
      paramLabel = "FILE",
      description = "The cluster's slurm.conf: it and its includes become part of the plan.")
  private Path slurmConf;

  @Option(
      names = "--accounting",
      description = "Adds gres/gpu to AccountingStorageTRES, where slurmdbd is used.")
  private boolean accounting;

  @Option(
      names = "--scale-billing",
      description = "Rewrites TRESBillingWeights so that a share costs a share.")
  private boolean scaleBilling;

  @Option(names = "--constrain-devices", description = "Sets ConstrainDevices=yes in cgroup.conf.")
  private boolean constrainDevices;

  @Option(
      names = "--spank",
      paramLabel = "FILE",
      description = "Path of schedgpu.so, for a line in the plugstack.conf in use.")
  private String spank;

  @Option(
      names = "--limits",
      paramLabel = "FILE",
      description = "Output of sacctmgr -P show qos or assoc, read instead of asking it.")
  private Path limits;

  /** The cluster's files, if they are given. */
  Optional<ClusterNow> cluster() {
    return Optional.ofNullable(slurmConf).map(ClusterNow::read);
  }

  /** The option that is given without the one that it needs. */
  Optional<String> misplaced() {
    if (slurmConf != null) {
      return Optional.empty();
    }
    String option =
        accounting
            ? "--accounting"
            : scaleBilling
                ? "--scale-billing"
                : constrainDevices
                    ? "--constrain-devices"
                    : spank != null ? "--spank" : limits != null ? "--limits" : null;
    return Optional.ofNullable(option);
  }

  SiteWishes wishes() {
    return new SiteWishes(
        accounting,
        scaleBilling,
        constrainDevices,
        Optional.ofNullable(spank).map(path -> Check.path("--spank", path)),
        Optional.ofNullable(limits));
  }
}
