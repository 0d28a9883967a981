package org.schedgpu.gres.files;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.schedgpu.gres.conf.ConfEdit;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.Hostlist;

/** Removes nodes from the lines of a gres.conf and its includes. Not thread-safe. */
final class NodeRemoval {
  private static final String NODE_NAME = "NodeName";

  private final CurrentGresConf now;
  private final Set<String> planned;
  private final Map<Path, ConfEdit> edits = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();
  private final Set<ConfLine> cut = new HashSet<>();

  /**
   * @param planned the nodes to remove
   */
  NodeRemoval(CurrentGresConf now, Set<String> planned) {
    this.now = now;
    this.planned = planned;
  }

  /** The files that differ from before. */
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

  /** Notes for the administrator. */
  List<String> notes() {
    return notes;
  }

  /** True if the line names its nodes. */
  static boolean namesNodes(ConfLine line) {
    return line.startsWith(NODE_NAME);
  }

  /** The nodes that a line names. */
  static List<String> nodes(ConfLine line) {
    return Hostlist.expand(line.pairs().get(0).value());
  }

  /** True if the planned nodes were removed from the line. */
  boolean isCut(ConfLine line) {
    return cut.contains(line);
  }

  /** Removes the planned nodes from a line. */
  void cut(ConfLine line) {
    if (!cut.add(line)) {
      return;
    }
    boolean forAll = !namesNodes(line);
    List<String> rest = new ArrayList<>(forAll ? clusterNodes(line) : nodes(line));
    rest.removeAll(planned);
    if (forAll && !rest.isEmpty()) {
      notes.add(
          line.place()
              .warning(
                  "the line was for all nodes and names %s now: it will not apply to nodes added later"
                      .formatted(Hostlist.compress(rest))));
    }
    if (rest.isEmpty()) {
      edit(line).removeButComment(line);
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

  /** The edit of the file that contains a line. */
  ConfEdit edit(ConfLine line) {
    Path path = line.place().file();
    return edits.computeIfAbsent(path, p -> file(p).edit());
  }

  /** The edit of gres.conf itself. */
  ConfEdit rootEdit() {
    return edits.computeIfAbsent(now.root().path(), path -> now.root().edit());
  }

  private ConfFile file(Path path) {
    return now.config().tree().file(path).orElseThrow();
  }
}
