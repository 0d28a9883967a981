package org.schedgpu.agent.command;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.context.ContextBounds;
import org.schedgpu.agent.context.LearnedContexts;
import org.schedgpu.agent.setup.NodeFactsReader;
import org.schedgpu.gres.facts.NodeFacts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code schedgpu gres facts}: runs on each node; {@code schedgpu gres plan} reads its output. */
@Command(
    name = "facts",
    description = {
      "Prints what NVML says of this node, for schedgpu gres plan --facts.",
      "mig, and cores (Slurm's numbers of the cores near a device, for plan",
      "--affinity cores), are left out where NVML does not know."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:Printed.", "1:NVML is not there or fails.", "2:Wrong usage."},
    footerHeading = "%nExample:%n",
    footer = "  ssh gpu1 schedgpu gres facts > gpu1.json")
public final class FactsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  private final ContextBounds trust =
      new ContextBounds(line -> spec.commandLine().getErr().println(line));

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "Slurm's NodeName. Default: $$SLURMD_NODENAME, else the host's name.")
  private String node;

  @Option(
      names = "--context",
      paramLabel = "SIZE",
      description =
          "Device memory of one process's CUDA context. Default: what the agent learned, else "
              + NodeFactsReader.DEFAULT_CONTEXT
              + ".")
  private String context;

  @Option(
      names = "--device-dir",
      paramLabel = "DIR",
      defaultValue = "/dev",
      description = "Where the device files are. Default: ${DEFAULT-VALUE}.")
  private Path deviceDir;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  private long contextBytes(LearnedContexts.Kind kind) {
    if (context != null) {
      return NodeFactsReader.contextBytes(context);
    }
    Conf conf = Conf.read(Optional.empty());
    return trust.bytes(
        conf,
        kind.name(),
        LearnedContexts.read(conf.contextFile()).of(kind),
        NodeFactsReader.contextBytes());
  }

  @Override
  public Integer call() {
    NodeFacts facts =
        NodeFactsReader.forPlan(
            node != null ? node : NodeFactsReader.nodeName(System.getenv()),
            deviceDir,
            this::contextBytes);
    PrintWriter out = spec.commandLine().getOut();
    out.print(facts.toJson());
    out.flush();
    return ExitCode.OK;
  }
}
