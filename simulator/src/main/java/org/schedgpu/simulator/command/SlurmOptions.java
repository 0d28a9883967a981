package org.schedgpu.simulator.command;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that play the sweep on the cluster itself. */
final class SlurmOptions {
  @Option(
      names = "--slurm",
      paramLabel = "DIR",
      description =
          "Plays each configuration as a task of a job array; the last job merges them into"
              + " result.txt and result.json of DIR, which all nodes share. The same again goes on"
              + " where tasks were killed, and prints the answer once all is there.")
  Path folder;

  @Option(
      names = "--sbatch",
      paramLabel = "OPTION",
      split = " ",
      description = "With --slurm: more options for sbatch, as \"--partition=cpu --time=60\".")
  List<String> sbatch = List.of();

  @Option(names = "--slurm-task", hidden = true)
  Integer task;

  @Option(names = "--slurm-merge", hidden = true)
  Integer merge;
}
