package org.schedgpu.gres.command;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.site.SiteRequest;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code plan} for the site's own files; they need --slurm-conf. */
final class SiteOptions {
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

  /** Rejects an option that has no effect without slurm.conf. */
  void check(CommandSpec spec, boolean withSlurmConf) {
    Map<String, Boolean> given = new LinkedHashMap<>();
    given.put("--accounting", accounting);
    given.put("--scale-billing", scaleBilling);
    given.put("--constrain-devices", constrainDevices);
    given.put("--spank", spank != null);
    given.put("--limits", limits != null);
    given.values().removeIf(isGiven -> withSlurmConf || !isGiven);
    for (String option : given.keySet()) {
      throw new ParameterException(spec.commandLine(), option + " needs --slurm-conf");
    }
  }

  SiteRequest request() {
    return new SiteRequest(
        accounting,
        scaleBilling,
        constrainDevices,
        Optional.ofNullable(spank).map(path -> Check.path("--spank", path)),
        Optional.ofNullable(limits));
  }
}
