package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.Optional;
import org.schedgpu.jna.SchedGpu;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code schedgpu setup}. */
@Command(
    name = "setup",
    description = {
      "Creates the region of this node, or checks the one there and adds new devices.",
      "The devices are those of devices.conf, else those that NVML sees."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The region is there and right.",
      "1:It cannot be made, or the one there cannot be used.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu setup",
      "  schedgpu setup --devices-file ./devices.conf --node gpu1 --run-dir /run/test"
    })
final class SetupCommand extends NodeCommand {
  @Option(
      names = "--devices-file",
      paramLabel = "FILE",
      description = "devices.conf, which must name this node.")
  private Path devicesFile;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "Name of this node. Default: $$SLURMD_NODENAME, else the host's name.")
  private String node;

  @Option(
      names = "--context",
      paramLabel = "SIZE",
      defaultValue = NodeFactsReader.DEFAULT_CONTEXT,
      description = "Memory of a CUDA context where NVML is asked. Default: ${DEFAULT-VALUE}.")
  private String context;

  @Override
  public Integer call() {
    String name = node != null ? node : NodeFactsReader.nodeName(System.getenv());
    RegionSetup wanted =
        RegionSetup.of(
            conf(), Optional.ofNullable(devicesFile), name, NodeFactsReader.contextBytes(context));
    SchedGpu.setup(runDir(), wanted.setup());
    out()
        .println(
            runDir()
                + ": ready, "
                + Texts.count(wanted.setup().devices().size(), "device", "devices")
                + " of "
                + wanted.source());
    return ExitCode.OK;
  }
}
