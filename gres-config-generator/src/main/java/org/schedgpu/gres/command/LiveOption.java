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

/** {@code --live} of {@code plan}: asks slurmctld for what the facts do not contain. */
final class LiveOption {
  @Option(
      names = "--live",
      description =
          "Asks slurmctld for its version, CPUs, counts, states and GPU jobs; --rest implies it.")
  private boolean live;

  @Mixin private RestOption rest;

  private Optional<LiveCluster> cluster = Optional.empty();

  /**
   * The facts completed with slurmctld's data; unchanged without the option.
   *
   * @throws GresException if slurmctld does not answer
   */
  List<NodeFacts> complete(List<NodeFacts> facts) {
    if (!live && rest.address == null) {
      return facts;
    }
    LiveCluster now = new LiveCluster(rest.controller(System.getenv(), line -> {}));
    cluster = Optional.of(now);
    return facts.stream().map(now::withCpus).toList();
  }

  /** The version of the slurmctld that answered. */
  Optional<SlurmVersion> version() {
    return cluster.flatMap(LiveCluster::version);
  }

  /** slurmctld's notes on the plan; empty if it was not asked. */
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
