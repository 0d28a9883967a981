package org.schedgpu.agent.command;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options that {@code schedgpu} and each of its commands about this node take. */
final class NodeOptions {
  @Option(
      names = {"--conf", "--config"},
      paramLabel = "FILE",
      description =
          "schedgpu.conf. Default: beside $$SLURM_CONF, else /etc/schedgpu/schedgpu.conf.")
  private Path conf;

  @Option(
      names = "--run-dir",
      paramLabel = "DIR",
      description = "Where the region is. Default: $$SCHEDGPU_RUN_DIR, else RunDir.")
  private Path runDir;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  Optional<Path> conf() {
    return Optional.ofNullable(conf);
  }

  Optional<Path> runDir() {
    return Optional.ofNullable(runDir);
  }
}
