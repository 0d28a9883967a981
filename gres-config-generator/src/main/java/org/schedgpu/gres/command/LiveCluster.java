package org.schedgpu.gres.command;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.GpuCounts;
import org.schedgpu.gres.live.LiveJob;
import org.schedgpu.gres.live.LiveNode;

/** The cluster as slurmctld sees it at one moment, for a plan. Immutable. */
final class LiveCluster {
  private static final int MAX_JOBS = 10;

  private final Map<String, LiveNode> nodes = new LinkedHashMap<>();
  private final List<LiveJob> jobs;
  private final Optional<String> slurmVersion;

  /**
   * Asks slurmctld for nodes, jobs and its version.
   *
   * @throws GresException if Slurm does not answer
   */
  LiveCluster(Controller controller) {
    controller.nodes().forEach(node -> nodes.put(node.name(), node));
    jobs = controller.jobs();
    slurmVersion = controller.slurmVersion();
  }

  /** The version of slurmctld; empty if it is not known. */
  Optional<SlurmVersion> version() {
    return slurmVersion.map(SlurmVersion::parse);
  }

  /** The facts, with Slurm's CPUs for nodes whose facts have none. */
  NodeFacts withCpus(NodeFacts facts) {
    LiveNode node = nodes.get(facts.nodeName());
    boolean tells = facts.cpus() == null && node != null && node.cpus() > 0;
    return tells ? new NodeFacts(facts.nodeName(), node.cpus(), facts.devices()) : facts;
  }

  /**
   * Notes for the administrator.
   *
   * @param gresByNode Gres= that the plan gives each of its nodes
   * @param devicesByNode the number of devices in the facts of each node
   */
  List<String> notes(Map<String, String> gresByNode, Map<String, Integer> devicesByNode) {
    List<String> notes = new ArrayList<>();
    Set<String> changing = new HashSet<>();
    gresByNode.forEach(
        (name, gres) -> {
          LiveNode node = nodes.get(name);
          if (node == null) {
            notes.add("node " + name + " is not among slurmctld's nodes: define it in slurm.conf");
            return;
          }
          state(node, notes);
          devices(node, gres, devicesByNode.getOrDefault(name, 0), notes);
          if (!GpuCounts.same(node.gres(), gres)) {
            changing.add(name);
          }
        });
    unplanned(gresByNode.keySet(), notes);
    running(changing, notes);
    return notes;
  }

  private static void state(LiveNode node, List<String> notes) {
    for (String state : List.of("INVALID_REG", "DOWN", "NOT_RESPONDING", "DRAIN")) {
      if (node.is(state)) {
        String why = node.reason().isEmpty() ? "" : " (" + node.reason() + ")";
        notes.add("node " + node.name() + " is " + state + why);
        return;
      }
    }
  }

  /** Notes a count in Slurm that is neither the number of devices nor a multiple of it (shares). */
  private static void devices(LiveNode node, String gres, int devices, List<String> notes) {
    long now = GpuCounts.total(node.gres());
    boolean fits = (devices > 0 && now % devices == 0) || GpuCounts.same(node.gres(), gres);
    if (!fits) {
      notes.add(
          "node %s: slurmctld has %s, the facts %d devices: see which is right before it changes"
              .formatted(node.name(), GpuCounts.shown(node.gres()), devices));
    }
  }

  private void unplanned(Set<String> planned, List<String> notes) {
    Map<String, List<String>> byGres = new LinkedHashMap<>();
    nodes.values().stream()
        .filter(node -> !planned.contains(node.name()) && GpuCounts.total(node.gres()) > 0)
        .forEach(
            node -> byGres.computeIfAbsent(node.gres(), g -> new ArrayList<>()).add(node.name()));
    byGres.forEach(
        (gres, names) ->
            notes.add(
                "no facts are given of %s with %s: not in the plan"
                    .formatted(Hostlist.compress(names), gres)));
  }

  private void running(Set<String> changing, List<String> notes) {
    List<LiveJob> there =
        jobs.stream()
            .filter(LiveJob::usesGpu)
            .filter(job -> job.nodes().stream().anyMatch(changing::contains))
            .toList();
    there.stream().limit(MAX_JOBS).forEach(job -> notes.add(line(job, changing)));
    if (there.size() > MAX_JOBS) {
      notes.add("and %d more GPU jobs on nodes that change".formatted(there.size() - MAX_JOBS));
    }
  }

  private static String line(LiveJob job, Set<String> changing) {
    return "GPU job %d of %s (%s) is on %s, which changes"
        .formatted(
            job.id(),
            job.user(),
            job.state(),
            Hostlist.compress(job.nodes().stream().filter(changing::contains).sorted().toList()));
  }
}
