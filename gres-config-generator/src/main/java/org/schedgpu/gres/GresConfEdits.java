package org.schedgpu.gres;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.schedgpu.gres.conf.ConfEdit;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.conf.Hostlist;

/** Takes the planned nodes out of the lines that stand, and writes ours. For one use. */
final class GresConfEdits {
  private static final String NODE_NAME = "NodeName";
  private static final String AUTO_DETECT = "AutoDetect";
  private static final String OFF = "AutoDetect=off";

  private final GresConfNow now;
  private final GresPlan plan;
  private final Set<String> planned = new LinkedHashSet<>();
  private final Map<Path, ConfEdit> edits = new LinkedHashMap<>();
  private final Set<ConfLine> cut = new HashSet<>();

  GresConfEdits(GresConfNow now, GresPlan plan) {
    this.now = now;
    this.plan = plan;
    plan.nodes().forEach(node -> planned.add(node.nodeName()));
    now.config().lines().forEach(this::cutIfPlanned);
    now.config().tree().lines().forEach(this::cutDetection);
    for (String node : planned) {
      OldGres.requireOnce(node, now.foreign(node));
    }
    writeBlock();
  }

  /** The files that are not what they were. */
  Map<Path, ConfFile> changed() {
    Map<Path, ConfFile> changed = new LinkedHashMap<>();
    edits.forEach(
        (path, edit) -> {
          ConfFile after = edit.result();
          if (!Arrays.equals(file(path).bytes(), after.bytes())) {
            changed.put(path, after);
          }
        });
    return changed;
  }

  private void cutIfPlanned(GresLine gres) {
    if (now.isOurs(gres.line()) || !isForPlanned(gres) || OldGres.isMig(gres)) {
      return;
    }
    if (OldGres.isSharing(gres) && !plan.removesShards()) {
      throw gres.line()
          .place()
          .error(
              "%s is Slurm's own way to share GPUs, which keeps gpu jobs off a device"
                  .formatted(gres.name()),
              "take it out of the planned nodes with --remove-shards, or leave them to no rule");
    }
    if (OldGres.isGpu(gres) || OldGres.isSharing(gres) || OldGres.isMemory(gres)) {
      cut(gres.line());
    }
  }

  private boolean isForPlanned(GresLine gres) {
    return gres.nodes().map(nodes -> nodes.stream().anyMatch(planned::contains)).orElse(true);
  }

  /** A detector would add its GPUs to ours; the lines of other nodes keep theirs. */
  private void cutDetection(ConfLine line) {
    String detector = line.value(AUTO_DETECT).orElse("off");
    boolean done = now.isOurs(line) || cut.contains(line) || GresConfNow.isOff(detector);
    if (done || !line.startsWith(NODE_NAME) || nodes(line).stream().noneMatch(planned::contains)) {
      return;
    }
    if (line.pair("Name").isEmpty()) {
      cut(line);
    } else if (planned.containsAll(nodes(line))) {
      edit(line).remove(line, AUTO_DETECT);
    } else {
      throw line.place()
          .error(
              "AutoDetect=%s stands with another GRES for planned nodes and others"
                  .formatted(detector),
              "give AutoDetect= a line of its own");
    }
  }

  /** Takes the planned nodes out of a line. */
  private void cut(ConfLine line) {
    if (!cut.add(line)) {
      return;
    }
    boolean forAll = !line.startsWith(NODE_NAME);
    List<String> rest = new ArrayList<>(forAll ? clusterNodes(line) : nodes(line));
    rest.removeAll(planned);
    if (rest.isEmpty()) {
      edit(line).removeLine(line);
    } else if (forAll) {
      edit(line).prepend(line, NODE_NAME + "=" + Hostlist.compress(rest) + " ");
    } else {
      edit(line).set(line, NODE_NAME, Hostlist.compress(rest));
    }
  }

  private List<String> clusterNodes(ConfLine line) {
    return now.clusterNodes()
        .orElseThrow(
            () ->
                line.place()
                    .error(
                        "the line is for all nodes, and the others are not known",
                        "give slurm.conf too, with --slurm-conf"));
  }

  private static List<String> nodes(ConfLine line) {
    return Hostlist.expand(line.pairs().get(0).value());
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
    replace(now.block().lines(), block.lines());
  }

  private static List<String> withOff(List<String> lines) {
    List<String> all = new ArrayList<>(List.of(OFF));
    all.addAll(lines);
    return List.copyOf(all);
  }

  /** Nodes that have it on a line that stays. */
  private Set<String> turnedOff() {
    Set<String> off = new HashSet<>();
    for (ConfLine line : now.config().tree().lines()) {
      boolean says = line.value(AUTO_DETECT).filter(GresConfNow::isOff).isPresent();
      if (says && line.startsWith(NODE_NAME) && !now.isOurs(line) && !cut.contains(line)) {
        off.addAll(nodes(line));
      }
    }
    return off;
  }

  private void replace(List<ConfLine> old, List<String> lines) {
    ConfFile root = now.root();
    ConfEdit edit = edits.computeIfAbsent(root.path(), path -> root.edit());
    old.forEach(edit::removeLine);
    for (String line : lines) {
      if (old.isEmpty()) {
        edit.append(line);
      } else {
        edit.insertAfter(old.get(old.size() - 1), line);
      }
    }
  }

  private ConfEdit edit(ConfLine line) {
    Path path = line.place().file();
    return edits.computeIfAbsent(path, p -> file(p).edit());
  }

  private ConfFile file(Path path) {
    return now.config().tree().file(path).orElseThrow();
  }
}
