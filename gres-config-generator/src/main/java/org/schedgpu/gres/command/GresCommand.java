package org.schedgpu.gres.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code schedgpu gres}, a subcommand of {@code schedgpu}. {@code schedgpu} adds {@code facts} and
 * {@code devices} to it, which read NVML and the region, which this module does not know.
 */
@Command(
    name = "gres",
    description = "Plans and writes the virtual GPUs that Slurm sees.",
    subcommands = {
      PlanCommand.class,
      ApplyCommand.class,
      VerifyCommand.class,
      RolloutCommand.class,
      RevertCommand.class
    })
public final class GresCommand {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;
}
