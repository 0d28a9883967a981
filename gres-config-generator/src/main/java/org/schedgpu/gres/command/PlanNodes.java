package org.schedgpu.gres.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.schedgpu.gres.facts.FactsFiles;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.facts.SlurmdCpus;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code plan} that describe the nodes. */
final class PlanNodes {
  @Option(
      names = "--facts",
      paramLabel = "FILE",
      description =
          "Facts of nodes, as schedgpu gres facts prints them, one or several to a file; or a folder "
              + "of files *.json. Repeatable.")
  private List<Path> factsFiles = new ArrayList<>();

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "A node by options instead of a file, with --device.")
  private String node;

  @Option(names = "--cpus", paramLabel = "N", description = "CPUs of the node of --node.")
  private Integer cpus;

  @Option(
      names = "--device",
      paramLabel = "KEY=VALUE,...",
      description = "A device of the node of --node, with the keys of the facts. Repeatable.")
  private List<String> devices = new ArrayList<>();

  @Option(
      names = "--slurmd-c",
      paramLabel = "FILE",
      description = "CPUs of nodes whose facts have none: what slurmd -C prints there.")
  Path slurmdCpus;

  /**
   * @throws ParameterException if the options exclude each other
   */
  void check(CommandSpec spec) {
    if (node == null && factsFiles.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "no node: give --facts or --node");
    }
    if ((node == null) != devices.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--node and --device go together");
    }
    if (node == null && cpus != null) {
      throw new ParameterException(spec.commandLine(), "--cpus needs --node");
    }
  }

  /** The facts, with notes on them. */
  record Read(List<NodeFacts> facts, List<String> notes) {}

  /** The facts of all nodes, in the order of the options. */
  Read read() {
    List<NodeFacts> facts = new ArrayList<>(FactsFiles.read(factsFiles));
    if (node != null) {
      facts.add(new NodeFacts(node, cpus, devices.stream().map(DeviceOption::parse).toList()));
    }
    if (slurmdCpus == null) {
      return new Read(facts, List.of());
    }
    SlurmdCpus slurmd = SlurmdCpus.read(slurmdCpus);
    return new Read(slurmd.fill(facts), slurmd.notes(facts));
  }
}
