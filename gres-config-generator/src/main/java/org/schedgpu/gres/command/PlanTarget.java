package org.schedgpu.gres.command;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options of {@code plan} for where and how its files are written. */
final class PlanTarget {
  private static final int DIFF_LINES = 40;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      description = "Writes the files into DIR, each as a whole or not at all.")
  Path output;

  @Option(names = "--dry-run", description = "Prints what --output would write.")
  boolean dryRun;

  @Option(
      names = "--force",
      description =
          "Replaces a gres.conf that is not schedGPU's, and lines that were changed by hand.")
  boolean force;

  @Option(
      names = "--full-diff",
      description = "Prints all that differs, not the first 40 lines of each file.")
  boolean fullDiff;

  @Option(names = "--json", description = "Prints JSON; sizes are bytes.")
  boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  /** The maximum number of lines printed of each file's difference. */
  int diffLines() {
    return fullDiff ? Integer.MAX_VALUE : DIFF_LINES;
  }
}
