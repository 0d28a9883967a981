package org.schedgpu.gres.files;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.schedgpu.gres.common.IndexList;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;

/**
 * Writes devices.conf (docs/reference/files-and-environment.md): one line for each device, and one
 * for the GPUs of a node that schedGPU does not share.
 */
final class DevicesConfWriter {
  private DevicesConfWriter() {}

  static String text(GresPlan plan) {
    StringBuilder text = new StringBuilder();
    plan.nodes().forEach(node -> append(text, node));
    return text.toString();
  }

  private static void append(StringBuilder text, NodePlan node) {
    Map<Integer, List<Integer>> indexes = node.virtualIndexes();
    for (Device device : node.devices()) {
      text.append(line(node, device, indexes.get(device.index()))).append('\n');
    }
    if (node.gpuCount() > node.virtualGpuCount()) {
      List<Integer> others =
          IntStream.range(node.virtualGpuCount(), node.gpuCount()).boxed().toList();
      text.append("NodeName=%s NotOurs=%s%n".formatted(node.nodeName(), IndexList.format(others)));
    }
  }

  private static String line(NodePlan node, Device device, List<Integer> indexes) {
    return "NodeName=%s Device=%d UUID=%s File=%s TotalBytes=%d ReservedBytes=%d ContextBytes=%d"
            .formatted(
                node.nodeName(),
                device.index(),
                device.uuid(),
                device.file(),
                device.totalBytes(),
                device.reservedBytes(),
                device.contextBytes())
        + " Virtual="
        + IndexList.format(indexes)
        + " Name="
        + quotedIfBlank(device.name())
        + node.shards().map(rule -> " ShardBytes=" + rule.unitBytes()).orElse("");
  }

  private static String quotedIfBlank(String name) {
    return name.chars().anyMatch(Character::isWhitespace) ? '"' + name + '"' : name;
  }
}
