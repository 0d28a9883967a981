package org.schedgpu.gres.files;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.schedgpu.gres.conf.ConfEdit;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;

/**
 * Removes the planned nodes from the existing lines, and writes schedGPU's own lines. For one use.
 */
final class GresConfEdits {
  private static final String AUTO_DETECT = "AutoDetect";
  private static final String OFF = "AutoDetect=off";

  private final CurrentGresConf now;
  private final GresPlan plan;
  private final Set<String> planned = new LinkedHashSet<>();
  private final NodeRemoval cuts;

  GresConfEdits(CurrentGresConf now, GresPlan plan) {
    this.now = now;
    this.plan = plan;
    plan.nodes().forEach(node -> planned.add(node.nodeName()));
    this.cuts = new NodeRemoval(now, planned);
    if (plan.hasShards()) {
      now.config().lines().forEach(this::requireNoVirtualGpu);
    }
    now.config().lines().forEach(this::cutIfPlanned);
    now.config().tree().lines().forEach(this::cutDetection);
    for (String node : planned) {
      GresLineKinds.requireOnce(node, now.foreign(node));
    }
    writeBlock();
  }

  /** The files that differ from before. */
  Map<Path, ConfFile> changed() {
    return cuts.changed();
  }

  /** As {@link NodeRemoval#notes}. */
  List<String> notes() {
    return cuts.notes();
  }

  private void cutIfPlanned(GresLine gres) {
    if (now.isOurs(gres.line()) || !isForPlanned(gres) || GresLineKinds.isMig(gres)) {
      return;
    }
    boolean replaced = plan.hasShards() && gres.name().equalsIgnoreCase(NodePlan.SHARD);
    if (GresLineKinds.isSharing(gres) && !plan.removesShards() && !replaced) {
      throw gres.line()
          .place()
          .error(
              "%s is Slurm's own way to share GPUs, which keeps gpu jobs off a device"
                  .formatted(gres.name()),
              "take it out of all nodes with --remove-shards: Slurm cannot have both in one cluster");
    }
    if (GresLineKinds.isGpu(gres)
        || GresLineKinds.isSharing(gres)
        || GresLineKinds.isMemory(gres)) {
      cuts.cut(gres.line());
    }
  }

  /**
   * With shards anywhere in the cluster, Slurm takes each file of a virtual GPU for a GPU of its
   * own.
   */
  private void requireNoVirtualGpu(GresLine gres) {
    boolean stays = gres.nodes().map(nodes -> !planned.containsAll(nodes)).orElse(false);
    if (gres.multipleFiles() && stays) {
      throw gres.line()
          .place()
          .error(
              "node %s keeps GPUs with MultipleFiles=, which Slurm cannot have beside shards"
                  .formatted(Hostlist.compress(unplanned(gres))),
              "plan these nodes too with --by-memory, or take them out of the cluster first");
    }
  }

  private List<String> unplanned(GresLine gres) {
    return gres.nodes().orElseThrow().stream().filter(node -> !planned.contains(node)).toList();
  }

  private boolean isForPlanned(GresLine gres) {
    return gres.nodes().map(nodes -> nodes.stream().anyMatch(planned::contains)).orElse(true);
  }

  /**
   * Turns AutoDetect= off for the planned nodes, because it would add GPUs to those of schedGPU.
   * Lines for other nodes keep it.
   */
  private void cutDetection(ConfLine line) {
    String detector = line.value(AUTO_DETECT).orElse("off");
    boolean done = now.isOurs(line) || cuts.isCut(line) || CurrentGresConf.isOff(detector);
    if (done
        || !NodeRemoval.namesNodes(line)
        || NodeRemoval.nodes(line).stream().noneMatch(planned::contains)) {
      return;
    }
    if (line.pair("Name").isEmpty()) {
      cuts.cut(line);
    } else if (planned.containsAll(NodeRemoval.nodes(line))) {
      cuts.edit(line).remove(line, AUTO_DETECT);
    } else {
      throw line.place()
          .error(
              "AutoDetect=%s stands with another GRES for planned nodes and others"
                  .formatted(detector),
              "give AutoDetect= a line of its own");
    }
  }

  private void writeBlock() {
    GresBlock block = now.block().read();
    GresConfWriter writer = new GresConfWriter();
    Set<String> off = turnedOff();
    boolean detects = now.detectsForAll().isPresent();
    Map<List<String>, List<String>> withOff = new HashMap<>();
    for (NodePlan node : plan.nodes()) {
      List<String> lines = writer.lines(node);
      boolean needsOff = detects && !off.contains(node.nodeName());
      block.put(
          node.nodeName(),
          needsOff ? withOff.computeIfAbsent(lines, GresConfEdits::withOff) : lines);
    }
    replace(now.block().lines(), block.lines(plan.linkRule()));
  }

  private static List<String> withOff(List<String> lines) {
    List<String> all = new ArrayList<>(List.of(OFF));
    all.addAll(lines);
    return List.copyOf(all);
  }

  /** Nodes for which a remaining line turns it off. */
  private Set<String> turnedOff() {
    Set<String> off = new HashSet<>();
    for (ConfLine line : now.config().tree().lines()) {
      boolean says = line.value(AUTO_DETECT).filter(CurrentGresConf::isOff).isPresent();
      if (says && NodeRemoval.namesNodes(line) && !now.isOurs(line) && !cuts.isCut(line)) {
        off.addAll(NodeRemoval.nodes(line));
      }
    }
    return off;
  }

  private void replace(List<ConfLine> old, List<String> lines) {
    ConfEdit edit = cuts.rootEdit();
    old.forEach(edit::removeLine);
    for (String line : lines) {
      if (old.isEmpty()) {
        edit.append(line);
      } else {
        edit.insertAfter(old.get(old.size() - 1), line);
      }
    }
  }
}
