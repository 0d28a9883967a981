package org.schedgpu.gres.verify;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.files.ShareMap;
import org.schedgpu.gres.verify.PlannedNode.PlannedDevice;

/**
 * Reads the expected state of nodes from the folder's own gres.conf and devices.conf, if no plan is
 * given.
 */
public final class PlannedNodesReader {
  private PlannedNodesReader() {}

  /**
   * The nodes with GPUs of gres.conf.
   *
   * @throws GresException if the files cannot be read, or name no node
   */
  public static List<PlannedNode> read(Path folder) {
    GresConfig gres = GresConfig.read(folder.resolve("gres.conf"));
    ShareMap map = ShareMap.read(folder.resolve("devices.conf"));
    Set<String> nodes = new LinkedHashSet<>();
    gres.lines().stream()
        .filter(line -> line.name().equals("gpu"))
        .forEach(line -> line.nodes().ifPresent(nodes::addAll));
    if (nodes.isEmpty()) {
      throw new GresException(
          folder.resolve("gres.conf") + " names no node with GPUs", "give the plan with --plan");
    }
    return nodes.stream()
        .map(node -> new PlannedNode(node, gresOf(gres.linesFor(node)), devices(map, node)))
        .toList();
  }

  private static String gresOf(List<GresLine> lines) {
    Map<String, Long> counts = new LinkedHashMap<>();
    lines.stream()
        .filter(line -> line.name().equals("gpu"))
        .forEach(line -> counts.merge(line.type().orElse(""), line.count(), Long::sum));
    return counts.entrySet().stream()
        .map(e -> "gpu:" + (e.getKey().isEmpty() ? "" : e.getKey() + ":") + e.getValue())
        .collect(Collectors.joining(","));
  }

  private static List<PlannedDevice> devices(ShareMap map, String node) {
    return map.of(node).stream()
        .map(entry -> new PlannedDevice(entry.uuid(), entry.file(), entry.shares()))
        .toList();
  }
}
