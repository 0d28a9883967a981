package org.schedgpu.gres;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.schedgpu.gres.conf.ConfEdit;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.conf.SlurmNode;

/** What the cluster's own slurm.conf says of the nodes of a plan, and what it has to say. */
public final class ClusterNow {
  private final SlurmConfig config;

  private ClusterNow(SlurmConfig config) {
    this.config = config;
  }

  /**
   * Reads slurm.conf and its includes.
   *
   * @throws GresException if Slurm would refuse them
   */
  public static ClusterNow read(Path slurmConf) {
    return new ClusterNow(SlurmConfig.read(slurmConf));
  }

  /** A node's Gres= as it is now; empty text if it has none. */
  public String gres(String nodeName) {
    return setting(nodeName).map(Setting::value).orElse("");
  }

  private Optional<Setting> setting(String nodeName) {
    return node(nodeName).gres();
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

  /** Where each node's Gres= has to be changed, and what the reader found. */
  List<String> notes(GresPlan plan) {
    List<String> notes = new ArrayList<>(config.warnings());
    for (NodePlan node : plan.nodes()) {
      ConfLine line = node(node.nodeName()).line();
      String from =
          setting(node.nodeName())
              .filter(Setting::isDefault)
              .map(gres -> ", it is now that of " + gres.place())
              .orElse("");
      notes.add(
          "Gres= of node %s belongs into %s%s".formatted(node.nodeName(), line.place(), from));
    }
    return notes;
  }

  /**
   * The files of the cluster with the plan's counts in them, and nothing else changed. Other GRES
   * of a node stay.
   *
   * @return those that change, by the file as it is
   * @throws GresException if a line defines nodes that the plan treats in different ways
   */
  public Map<ConfFile, ConfFile> with(GresPlan plan) {
    Map<Path, ConfEdit> edits = new LinkedHashMap<>();
    gresByLine(plan).forEach((line, gres) -> edit(edits, line).set(line, "Gres", gres));
    addGresType(edits);
    Map<ConfFile, ConfFile> changed = new LinkedHashMap<>();
    edits.forEach(
        (path, edit) -> {
          ConfFile before = config.tree().file(path).orElseThrow();
          ConfFile after = edit.result();
          if (!java.util.Arrays.equals(before.bytes(), after.bytes())) {
            changed.put(before, after);
          }
        });
    return changed;
  }

  private Map<ConfLine, String> gresByLine(GresPlan plan) {
    Map<String, String> planned = new LinkedHashMap<>();
    plan.nodes().forEach(n -> planned.put(n.nodeName(), gres(n)));
    Map<ConfLine, String> byLine = new LinkedHashMap<>();
    planned.forEach((name, gres) -> byLine.put(node(name).line(), gres));
    for (SlurmNode node : config.nodes()) {
      String gres = byLine.get(node.line());
      if (gres != null && !gres.equals(planned.get(node.name()))) {
        throw node.line()
            .place()
            .error(
                "the line defines node %s too, for which the plan has %s"
                    .formatted(node.name(), planned.getOrDefault(node.name(), "nothing")),
                "plan all nodes of the line alike, or give them lines of their own");
      }
    }
    return byLine;
  }

  /** The plan's GPUs, and what the node has besides. */
  private String gres(NodePlan plan) {
    List<String> parts = new ArrayList<>(List.of(plan.gres()));
    for (String part : gres(plan.nodeName()).split(",", -1)) {
      if (!part.isBlank() && !part.equals("gpu") && !part.startsWith("gpu:")) {
        parts.add(part);
      }
    }
    return String.join(",", parts);
  }

  private void addGresType(Map<Path, ConfEdit> edits) {
    Optional<Setting> types = config.setting("GresTypes");
    if (types.isEmpty()) {
      ConfLine line = config.tree().lines().get(0);
      edit(edits, line).insertAfter(line, "GresTypes=gpu");
    } else if (!new TreeSet<>(List.of(types.get().value().split(",", -1))).contains("gpu")) {
      ConfLine line = types.get().line();
      edit(edits, line).set(line, types.get().key(), types.get().value() + ",gpu");
    }
  }

  private ConfEdit edit(Map<Path, ConfEdit> edits, ConfLine line) {
    Path path = line.place().file();
    return edits.computeIfAbsent(path, p -> config.tree().file(p).orElseThrow().edit());
  }
}
