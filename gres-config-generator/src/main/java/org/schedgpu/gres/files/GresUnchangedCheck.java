package org.schedgpu.gres.files;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfKind;
import org.schedgpu.gres.conf.ConfTree;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.plan.GresPlan;

/**
 * Checks a changed gres.conf by reading it again: nodes outside the plan must have the same GRES in
 * the same order, and planned nodes the same GRES other than those that the plan replaces.
 */
final class GresUnchangedCheck {
  private final GresConfig before;
  private final Set<String> planned = new HashSet<>();

  GresUnchangedCheck(GresConfig before, GresPlan plan) {
    this.before = before;
    plan.nodes().forEach(node -> planned.add(node.nodeName()));
  }

  /**
   * @throws GresException naming the first node whose GRES would change
   */
  void require(Map<Path, ConfFile> changed) {
    Path root = before.tree().files().get(0).path();
    GresConfig after = GresConfig.of(ConfTree.read(root, ConfKind.GRES_CONF, changed));
    for (String node : nodes(after)) {
      boolean isPlanned = planned.contains(node);
      boolean same = that(before, node, isPlanned).equals(that(after, node, isPlanned));
      if (!same || (!isPlanned && !detects(before, node).equals(detects(after, node)))) {
        throw new GresException(
            "the lines of node %s in %s would mean something else".formatted(node, root),
            "put the lines that begin with Name=gpu above those with NodeName=, then plan again");
      }
    }
  }

  /** All nodes that the lines name. */
  private Set<String> nodes(GresConfig after) {
    Set<String> nodes = new LinkedHashSet<>(planned);
    before.lines().forEach(line -> line.nodes().ifPresent(nodes::addAll));
    after.lines().forEach(line -> line.nodes().ifPresent(nodes::addAll));
    return nodes;
  }

  private static Map<String, List<Object>> that(GresConfig config, String node, boolean isPlanned) {
    return byName(config.linesFor(node).stream().filter(l -> stays(isPlanned, l)).toList());
  }

  private static boolean stays(boolean isPlanned, GresLine line) {
    boolean replaced =
        GresLineKinds.isGpu(line) || GresLineKinds.isSharing(line) || GresLineKinds.isMemory(line);
    return !isPlanned || !replaced || GresLineKinds.isMig(line);
  }

  private static String detects(GresConfig config, String node) {
    return config.autoDetect(node).map(setting -> setting.value()).orElse("");
  }

  /** The lines by GRES name; the order matters only within one GRES. */
  private static Map<String, List<Object>> byName(List<GresLine> lines) {
    Map<String, List<Object>> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    lines.forEach(
        line -> byName.computeIfAbsent(line.name(), n -> new ArrayList<>()).add(meaning(line)));
    return byName;
  }

  private static List<Object> meaning(GresLine line) {
    return List.of(
        line.name(),
        line.type(),
        line.files(),
        line.multipleFiles(),
        line.count(),
        line.cores(),
        line.links(),
        line.flags());
  }
}
