package org.schedgpu.gres.site;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.conf.SlurmPartition;

/**
 * Warns of other settings that count GPUs, or that keep shares from running together. Changes
 * nothing.
 */
final class Counts {
  private static final List<String> MEMORY_DEFAULTS =
      List.of("DefMemPerCPU", "DefMemPerGPU", "DefMemPerNode");

  private Counts() {}

  static void check(SiteEdits site, SitePlan plan) {
    if (!plan.countsChange()) {
      return;
    }
    for (SlurmPartition partition : site.config().partitions()) {
      Optional<SlurmNode> most =
          partition.nodes().stream()
              .filter(node -> gpus(plan, node) > 0)
              .max(Comparator.comparingLong(node -> gpus(plan, node)));
      most.ifPresent(node -> check(site, plan, partition, node));
    }
    submission(site);
    site.warn(
        "jobs that ask for GPUs by number get shares now: --gpus-per-node=4 or --gres=gpu:4 are 4"
            + " shares, perhaps of one device; jobs that need whole devices must ask for more, or"
            + " with --exclusive for the node");
  }

  private static long gpus(SitePlan plan, SlurmNode node) {
    return plan.node(node.name()).map(change -> NodeChange.gpus(change.after())).orElse(0L);
  }

  private static void check(
      SiteEdits site, SitePlan plan, SlurmPartition partition, SlurmNode node) {
    long shares = gpus(plan, node);
    perGpu(site, partition, node, "DefCPUPerGPU", node.cpus(), "CPUs", shares);
    perGpu(site, partition, node, "DefMemPerGPU", node.setting("RealMemory"), "MiB", shares);
    memory(site, partition);
    number(partition.setting("MaxCPUsPerNode"))
        .filter(cpus -> cpus < shares)
        .ifPresent(
            cpus ->
                site.warn(
                    "partition %s has MaxCPUsPerNode=%d, node %s has %d shares: at one CPU a job, %d jobs run at a time"
                        .formatted(partition.name(), cpus, node.name(), shares, cpus)));
    if (text(partition.setting("OverSubscribe").or(() -> partition.setting("Shared")))
        .startsWith("exclusive")) {
      site.warn(
          "partition %s has OverSubscribe=EXCLUSIVE: a job gets whole nodes, shares never run together"
              .formatted(partition.name()));
    }
    partition
        .setting("QOS")
        .ifPresent(
            qos ->
                site.warn(
                    "partition %s has QOS=%s: its limits in gres/gpu count shares now; see sacctmgr show qos %s"
                        .formatted(partition.name(), qos.value(), qos.value())));
  }

  /** The requests of all shares of the fullest node, compared with what the node has. */
  private static void perGpu(
      SiteEdits site,
      SlurmPartition partition,
      SlurmNode node,
      String key,
      Optional<Setting> has,
      String unit,
      long shares) {
    Optional<Setting> setting = partition.setting(key).or(() -> site.config().setting(key));
    Optional<Long> each = number(setting).filter(value -> value > 0);
    if (each.isEmpty()) {
      return;
    }
    String fits =
        number(has)
            .map(all -> ", it has %d: %d jobs run at a time".formatted(all, all / each.get()))
            .orElse("");
    boolean enough = number(has).filter(all -> all >= shares * each.get()).isPresent();
    if (!enough) {
      site.warn(
          "%s=%d of partition %s is for each share now: %d shares of node %s want %d %s%s; divide it by the shares of a device"
              .formatted(
                  key,
                  each.get(),
                  partition.name(),
                  shares,
                  node.name(),
                  shares * each.get(),
                  unit,
                  fits));
    }
  }

  /** A job without a memory request gets all memory of a node if memory is counted. */
  private static void memory(SiteEdits site, SlurmPartition partition) {
    String parameters =
        text(
            partition
                .setting("SelectTypeParameters")
                .or(() -> site.config().setting("SelectTypeParameters")));
    List<String> defaults = new ArrayList<>();
    for (String key : MEMORY_DEFAULTS) {
      number(partition.setting(key).or(() -> site.config().setting(key)))
          .filter(value -> value > 0)
          .ifPresent(value -> defaults.add(key));
    }
    if (parameters.contains("memory") && defaults.isEmpty()) {
      site.warn(
          "partition %s counts memory (%s) and has no DefMemPerCPU or DefMemPerGPU: a job that does not say --mem takes all memory of a node, so shares never run together"
              .formatted(partition.name(), parameters));
    }
    if (defaults.contains("DefMemPerNode")) {
      site.warn(
          "partition %s has DefMemPerNode: a job of one share gets the memory that was meant for a job of a whole node; DefMemPerCPU suits shares better"
              .formatted(partition.name()));
    }
  }

  private static void submission(SiteEdits site) {
    String plugins = site.config().setting("JobSubmitPlugins").map(Setting::value).orElse("");
    boolean script = SiteEdits.exists(site.folder().resolve("job_submit.lua"));
    if (!plugins.isBlank() || script) {
      site.warn(
          "%s looks at jobs when they are submitted: if it counts GPUs, it counts shares now"
              .formatted(
                  plugins.isBlank()
                      ? site.folder().resolve("job_submit.lua")
                      : "JobSubmitPlugins=" + plugins));
    }
  }

  private static Optional<Long> number(Optional<Setting> setting) {
    return setting.map(Setting::value).filter(v -> v.matches("[0-9]{1,18}")).map(Long::parseLong);
  }

  private static String text(Optional<Setting> setting) {
    return setting.map(Setting::value).orElse("").toLowerCase(Locale.ROOT);
  }
}
