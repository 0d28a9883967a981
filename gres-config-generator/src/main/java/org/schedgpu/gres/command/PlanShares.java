package org.schedgpu.gres.command;

import org.schedgpu.gres.rule.ShareRule;
import picocli.CommandLine.Option;

/** The options of {@code plan} for the number of shares of a device. */
final class PlanShares {
  @Option(
      names = "--per-gpu",
      required = true,
      paramLabel = "N",
      description = "N shares, 1 to 256.")
  private Integer perGpu;

  @Option(names = "--per-cpu", required = true, description = "One share for each CPU of the node.")
  private boolean perCpu;

  @Option(
      names = "--share",
      required = true,
      paramLabel = "SIZE",
      description = "As many shares of SIZE (6G, 512M, 25%%) as fit.")
  private String share;

  @Option(
      names = "--by-memory",
      required = true,
      description =
          "No virtual GPUs: the memory as Slurm's shards, memory / --unit x --overbook of them. Jobs"
              + " ask --gres=shard:6.")
  private boolean byMemory;

  /** True if Slurm shall count memory, not virtual GPUs. */
  boolean isByMemory() {
    return byMemory;
  }

  /** The rule that the options give. */
  ShareRule rule() {
    if (byMemory) {
      return ShareRule.perGpu(1);
    }
    if (perGpu != null) {
      return ShareRule.perGpu(perGpu);
    }
    return perCpu ? ShareRule.perCpu() : ShareRule.ofMemory(share);
  }
}
