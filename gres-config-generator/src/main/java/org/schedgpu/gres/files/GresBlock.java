package org.schedgpu.gres.files;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.plan.LinkRule;
import org.schedgpu.gres.plan.NodePlan;

/**
 * The lines of schedGPU in gres.conf, between two markers, so that they can be found and replaced.
 * The first marker contains a checksum of the lines, so that an edit by hand is noticed. Nodes with
 * the same lines share them, because every node reads the same file. Not thread-safe.
 */
public final class GresBlock {
  public static final String BEGIN = "# BEGIN schedgpu gres ";
  static final String END = "# END schedgpu gres";

  private static final List<String> HEAD =
      List.of(
          "# Written by schedgpu gres, which replaces these lines; a change by hand stops it.",
          "# One line is one virtual GPU; its index is the number of the line on its node, from 0,",
          "# if the types are in this order in Gres= of slurm.conf too.",
          "# MultipleFiles, because a File= may not be repeated; two files, because one is fatal.");

  private static final String SHARD_LINE = "Name=" + NodePlan.SHARD + " ";
  private static final List<String> SHARDS_HEAD =
      List.of(
          "# Written by schedgpu gres, which replaces these lines; a change by hand stops it.",
          "# The memory of a device as shards: the size of one is ShardBytes= in devices.conf.");

  private final Map<String, List<String>> linesByNode;

  /**
   * @param linesByNode the lines of each node, without NodeName=
   */
  GresBlock(Map<String, List<String>> linesByNode) {
    this.linesByNode = new LinkedHashMap<>(linesByNode);
  }

  /** Sets the lines of a node. A node that has lines already keeps its place. */
  void put(String node, List<String> lines) {
    linesByNode.put(node, lines);
  }

  /** The nodes that have lines in the block. */
  List<String> nodes() {
    return List.copyOf(linesByNode.keySet());
  }

  /** The whole block, with both markers. */
  List<String> lines(LinkRule rule) {
    List<String> lines = new ArrayList<>(hasShards() ? SHARDS_HEAD : HEAD);
    if (!hasShards()) {
      lines.add("# " + rule.comment());
    }
    Map<List<String>, List<String>> nodesByLines = new LinkedHashMap<>();
    linesByNode.forEach(
        (node, own) -> nodesByLines.computeIfAbsent(own, o -> new ArrayList<>()).add(node));
    nodesByLines.forEach(
        (own, nodes) -> {
          String nodeName = "NodeName=" + Hostlist.compress(nodes) + " ";
          own.forEach(line -> lines.add(nodeName + line));
        });
    lines.add(0, BEGIN + sum(lines));
    lines.add(END);
    return lines;
  }

  private boolean hasShards() {
    return linesByNode.values().stream()
        .flatMap(List::stream)
        .anyMatch(line -> line.startsWith(SHARD_LINE));
  }

  /** The checksum of the lines between the markers. */
  static String sum(List<String> lines) {
    CRC32 crc = new CRC32();
    for (String line : lines) {
      crc.update(line.getBytes(StandardCharsets.ISO_8859_1));
      crc.update('\n');
    }
    return "%08x".formatted(crc.getValue());
  }
}
