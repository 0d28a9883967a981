package org.schedgpu.gres.command;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code --live} of {@code plan}: slurmctld is asked what the facts do not tell. */
final class LiveOption {
  @Option(
      names = "--live",
      description =
          "Asks slurmctld for its version, CPUs, counts, states and GPU jobs; --rest implies it.")
  private boolean live;

  @Mixin private RestOption rest;

  private Optional<LiveCluster> cluster = Optional.empty();

  /**
   * The facts, with what slurmctld knows of the nodes; unchanged if it shall not be asked.
   *
   * @throws GresException if it does not answer
   */
  List<NodeFacts> complete(List<NodeFacts> facts) {
    if (!live && rest.address == null) {
      return facts;
    }
    LiveCluster now = new LiveCluster(rest.controller(System.getenv(), line -> {}));
    cluster = Optional.of(now);
    return facts.stream().map(now::withCpus).toList();
  }

  /** The version of the slurmctld that was asked. */
  Optional<SlurmVersion> version() {
    return cluster.flatMap(LiveCluster::version);
  }

  /** What slurmctld has to say of the plan; nothing if it was not asked. */
  List<String> notes(GresPlan plan) {
    Map<String, String> gres = new LinkedHashMap<>();
    Map<String, Integer> devices = new LinkedHashMap<>();
    for (NodePlan node : plan.nodes()) {
      gres.put(node.nodeName(), node.gres());
      devices.put(node.nodeName(), node.devices().size());
    }
    return cluster.map(now -> now.notes(gres, devices)).orElse(List.of());
  }
}
