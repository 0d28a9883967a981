package org.schedgpu.gres.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.CurrentGresConf;
import org.schedgpu.gres.files.GresLineKinds;
import org.schedgpu.gres.files.UnlistedNodes;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.site.NodeChange;
import org.schedgpu.gres.site.NodeGres;
import org.schedgpu.gres.site.Notice;
import org.schedgpu.gres.site.SiteChange;
import org.schedgpu.gres.site.SiteEdits;
import org.schedgpu.gres.site.SiteHooks;
import org.schedgpu.gres.site.SiteRequest;

/**
 * The cluster's own slurm.conf as it is: what it says of the nodes of a plan, and the changes that
 * the plan makes to it.
 */
public final class CurrentCluster {
  private static final List<String> OURS = List.of(NodePlan.GPU, NodePlan.MEMORY);
  private static final List<String> SHARING = List.of(NodePlan.SHARD, "mps");

  private final SlurmConfig config;

  private CurrentCluster(SlurmConfig config) {
    this.config = config;
  }

  /**
   * Reads slurm.conf and its includes.
   *
   * @throws GresException if Slurm would reject them
   */
  public static CurrentCluster read(Path slurmConf) {
    return new CurrentCluster(SlurmConfig.read(slurmConf));
  }

  /** The current Gres= of a node; empty text if it has none. */
  public String gres(String nodeName) {
    return node(nodeName).gres().map(Setting::value).orElse("");
  }

  /** As {@link #gres}; empty text also for an unknown node. */
  String gresIfKnown(String nodeName) {
    return config.node(nodeName).flatMap(SlurmNode::gres).map(Setting::value).orElse("");
  }

  /** CoresPerSocket= of a node; empty if slurm.conf does not set it or has no such node. */
  OptionalInt coresPerSocket(String nodeName) {
    return config.node(nodeName).map(SlurmNode::coresPerSocket).orElse(OptionalInt.empty());
  }

  /** The cores of a node, likewise. */
  OptionalInt coreCount(String nodeName) {
    return config.node(nodeName).map(SlurmNode::coreCount).orElse(OptionalInt.empty());
  }

  /** The facts, with the CPUs of slurm.conf where it says them: Slurm counts by those. */
  NodeFacts withCpus(NodeFacts facts) {
    OptionalInt cpus =
        config.node(facts.nodeName()).map(SlurmNode::cpuCount).orElse(OptionalInt.empty());
    return cpus.isPresent()
        ? new NodeFacts(facts.nodeName(), cpus.getAsInt(), facts.devices())
        : facts;
  }

  private SlurmNode node(String nodeName) {
    return config
        .node(nodeName)
        .orElseThrow(
            () ->
                new GresException(
                    "node %s is not in %s or its includes"
                        .formatted(nodeName, config.tree().files().get(0).path()),
                    "use the NodeName that slurm.conf has, or define the node there first"));
  }

  /** The warnings of {@link UnlistedNodes} for a plan. */
  List<Notice> unlisted(Optional<CurrentGresConf> gresConf, Set<String> planned) {
    return UnlistedNodes.check(config, gresConf, planned);
  }

  /** The note of {@link SiteHooks} for a plan. */
  Optional<String> hooks(GresPlan plan) {
    int shares =
        plan.nodes().stream()
            .filter(node -> node.virtualGpuCount() > node.devices().size())
            .mapToInt(NodePlan::virtualGpuCount)
            .max()
            .orElse(0);
    return SiteHooks.note(config, shares);
  }

  /** All nodes of the cluster. */
  List<String> nodeNames() {
    return config.nodes().stream().map(SlurmNode::name).toList();
  }

  /** Warnings from reading the files. */
  List<String> warnings() {
    return config.warnings();
  }

  /**
   * The changes of the plan to the site's files. All other bytes stay as they are.
   *
   * @throws GresException if a node does not exist, or a file outside the folder would have to
   *     change
   */
  SiteChange change(GresPlan plan, SiteRequest request) {
    return SiteChange.of(config, nodes(plan), plan.settings(), request);
  }

  /**
   * The cluster's files with the plan's counts, and no other change. Other GRES of a node stay.
   *
   * @return the files that change, by their current version
   */
  public Map<ConfFile, ConfFile> with(GresPlan plan) {
    SiteEdits edits = new SiteEdits(config);
    NodeGres.set(edits, nodes(plan));
    Map<ConfFile, ConfFile> changed = new LinkedHashMap<>();
    edits
        .changed()
        .forEach((path, after) -> changed.put(config.tree().file(path).orElseThrow(), after));
    return changed;
  }

  private List<NodeChange> nodes(GresPlan plan) {
    return plan.nodes().stream().map(node -> change(node, plan.removesShards())).toList();
  }

  private NodeChange change(NodePlan plan, boolean removesShards) {
    node(plan.nodeName()).gres().ifPresent(CurrentCluster::requireNoBlank);
    String before = gres(plan.nodeName());
    boolean alike = isAlike(plan) && plan.deviceGroups().size() == plan.groups().size();
    return new NodeChange(plan.nodeName(), before, gres(plan, before, removesShards), alike);
  }

  /** True if each device gets the same number of shares, and of shards. */
  private static boolean isAlike(NodePlan plan) {
    return plan.deviceGroups().stream().map(DeviceGroup::sharesPerDevice).distinct().count() == 1
        && plan.devices().stream().map(plan::shardsOf).distinct().count() == 1;
  }

  /** Rejects a blank in Gres=: Slurm takes it for a part of the name, and drains the node. */
  private static void requireNoBlank(Setting gres) {
    if (gres.value().chars().anyMatch(Character::isWhitespace)) {
      throw gres.place()
          .error(
              "%s=\"%s\" has a blank, which Slurm calls invalid"
                  .formatted(gres.key(), gres.value()),
              "write it without blanks");
    }
  }

  /** Gres= of a node with its GPUs replaced by those of the plan; other GRES stay. */
  private String gres(NodePlan plan, String before, boolean removesShards) {
    List<String> parts = new ArrayList<>();
    for (String part : before.split(",", -1)) {
      boolean replaced = plan.shards().isPresent() && isA(part, List.of(NodePlan.SHARD));
      if (isA(part, SHARING) && !removesShards && !replaced) {
        throw shares(plan.nodeName(), part);
      }
      requireListed(plan, part);
      if (!isA(part, OURS) && !isA(part, SHARING)) {
        parts.add(part);
      } else if (isA(part, OURS) && !parts.contains(plan.gres())) {
        parts.add(plan.gres());
      }
    }
    if (!parts.contains(plan.gres())) {
      parts.add(0, plan.gres());
    }
    parts.removeIf(String::isBlank);
    return String.join(",", parts);
  }

  private GresException shares(String nodeName, String part) {
    return node(nodeName)
        .gres()
        .orElseThrow()
        .place()
        .error(
            "node %s has %s, Slurm's own way to share GPUs, which keeps gpu jobs off a device"
                .formatted(nodeName, part),
            "take it out of all nodes with --remove-shards: Slurm cannot have both in one cluster");
  }

  /**
   * Checks that every MIG instance has a line in gres.conf: those that AutoDetect finds are lost
   * when AutoDetect is removed.
   */
  private void requireListed(NodePlan plan, String part) {
    List<String> words = List.of(part.split(":", -1));
    boolean isMig = isA(part, OURS) && words.size() > 1 && GresLineKinds.isMigType(words.get(1));
    if (isMig && plan.groups().stream().noneMatch(g -> g.gresType().equals(words.get(1)))) {
      throw node(plan.nodeName())
          .gres()
          .orElseThrow()
          .place()
          .error(
              "node %s has %s, and gres.conf has no line for it".formatted(plan.nodeName(), part),
              "list its MIG instances there with MultipleFiles= (slurmd -G prints them)");
    }
  }

  private static boolean isA(String part, List<String> names) {
    return names.contains(part.split(":", 2)[0].strip());
  }
}
