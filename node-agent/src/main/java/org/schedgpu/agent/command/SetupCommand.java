package org.schedgpu.agent.command;

import java.nio.file.Path;
import java.util.Optional;
import org.schedgpu.agent.setup.NodeFactsReader;
import org.schedgpu.agent.setup.RegionSetup;
import org.schedgpu.agent.setup.RegionUpdate;
import org.schedgpu.agent.setup.ReplacedGpus;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.SchedGpu;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code schedgpu setup}. */
@Command(
    name = "setup",
    description = {
      "Creates the region of this node, or checks it and adds new devices.",
      "The devices are those of devices.conf, else those that NVML sees.",
      "If files of a region were deleted or damaged, its reservations are kept.",
      "A region of another layout (after an update) is replaced if no process uses it."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The region exists and is right.",
      "1:The region cannot be made, or the existing one cannot be used.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu setup",
      "  schedgpu setup --remove",
      "  schedgpu setup --devices-file ./devices.conf --node gpu1 --run-dir /run/test"
    })
public final class SetupCommand extends NodeCommand {
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

  @Option(
      names = "--remove",
      description = "Removes the region instead, and the files in its folder.")
  private boolean remove;

  @Option(
      names = "--force",
      description = "With --remove: also while processes use it; their reservations are lost.")
  private boolean force;

  @Override
  public Integer call() {
    return remove ? removeRegion() : setUp();
  }

  private int removeRegion() {
    boolean removed = SchedGpu.remove(runDir(), force);
    out().println(runDir() + (removed ? ": removed" : ": there was no region"));
    return ExitCode.OK;
  }

  private int setUp() {
    if (force) {
      throw new ParameterException(spec().commandLine(), "--force is for --remove");
    }
    String name = node != null ? node : NodeFactsReader.nodeName(System.getenv());
    RegionSetup wanted =
        RegionSetup.of(
            conf(), Optional.ofNullable(devicesFile), name, NodeFactsReader.contextBytes(context));
    ReplacedGpus.find(devicesFile != null ? devicesFile : conf().devicesFile(), name)
        .ifPresent(what -> err().println("schedgpu: warning: " + what + ": " + ReplacedGpus.TODO));
    RegionUpdate.setUp(runDir(), wanted.setup())
        .ifPresent(other -> out().println(RegionUpdate.replaced(runDir(), other)));
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
