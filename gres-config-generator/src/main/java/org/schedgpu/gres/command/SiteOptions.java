package org.schedgpu.gres.command;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.ShardRule;
import org.schedgpu.gres.site.CliFilter;
import org.schedgpu.gres.site.SiteRequest;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code plan} for the site's own files; they need --slurm-conf. */
final class SiteOptions {
  @Option(
      names = "--accounting",
      description =
          "Adds gres/gpu, and gres/shard or gres/gpumem, to AccountingStorageTRES, where slurmdbd is used.")
  private boolean accounting;

  @Option(
      names = "--scale-billing",
      description = "Rewrites TRESBillingWeights so that a share or a shard costs its part.")
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

  @Option(
      names = "--cli-filter",
      description =
          "Adds lines to cli_filter.lua, by which --schedgpu-mem=6G alone asks for the GRES.")
  private boolean cliFilter;

  /** Rejects an option that has no effect without slurm.conf. */
  void check(CommandSpec spec, boolean withSlurmConf) {
    Map<String, Boolean> given = new LinkedHashMap<>();
    given.put("--accounting", accounting);
    given.put("--scale-billing", scaleBilling);
    given.put("--constrain-devices", constrainDevices);
    given.put("--spank", spank != null);
    given.put("--limits", limits != null);
    given.put("--cli-filter", cliFilter);
    given.values().removeIf(isGiven -> withSlurmConf || !isGiven);
    for (String option : given.keySet()) {
      throw new ParameterException(spec.commandLine(), option + " needs --slurm-conf");
    }
  }

  SiteRequest request(GresPlan plan) {
    return new SiteRequest(
        accounting,
        scaleBilling,
        constrainDevices,
        Optional.ofNullable(spank).map(path -> Check.path("--spank", path)),
        Optional.ofNullable(limits),
        cliFilter ? Optional.of(cliFilter(plan.nodes().get(0))) : Optional.empty());
  }

  private static String cliFilter(NodePlan node) {
    List<String> names = node.gresNames();
    return CliFilter.lines(
        names.get(names.size() - 1), node.shards().map(ShardRule::unitBytes).orElse(0L));
  }
}
