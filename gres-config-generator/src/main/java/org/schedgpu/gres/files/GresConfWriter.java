package org.schedgpu.gres.files;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.GpuGroup;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;

/**
 * Writes gres.conf, one line for each virtual GPU, or two for each device that has shards.
 *
 * <p>Slurm drops a GPU line with a count and no file, refuses a repeated File=, and ends with a
 * fatal error at MultipleFiles= with one file. Lines of MultipleFiles= with the device and the
 * control device are counted one by one, and the device cgroup lets a job open exactly the devices
 * behind its virtual GPUs (Slurm's src/common/gres.c, seen with 22.05).
 *
 * <p>Links= counts over all GPUs of a node, whatever their types, in the order of their indexes
 * (_node_config_validate there).
 */
public final class GresConfWriter {
  /** The beginning of a gres.conf that schedGPU wrote completely, and may therefore replace. */
  public static final String MARK = GresBlock.BEGIN;

  /** Nodes with the same layout have the same lines, which are made once. */
  private final Map<Object, List<String>> linesByLayout = new HashMap<>();

  public static String text(GresPlan plan) {
    GresConfWriter writer = new GresConfWriter();
    Map<String, List<String>> lines = new LinkedHashMap<>();
    plan.nodes().forEach(node -> lines.put(node.nodeName(), writer.lines(node)));
    return String.join("\n", new GresBlock(lines).lines(plan.linkRule())) + "\n";
  }

  /** The lines of a node, without NodeName=. */
  List<String> lines(NodePlan node) {
    return linesByLayout.computeIfAbsent(layout(node), layout -> write(node));
  }

  /** Everything on which the lines depend. */
  private static Object layout(NodePlan node) {
    List<Object> layout = new ArrayList<>();
    for (GpuGroup group : node.groups()) {
      layout.add(group.gresType());
      layout.add(group.count());
      if (group instanceof DeviceGroup own) {
        layout.add(own.order());
        own.devices().forEach(device -> layout.add(device.file()));
        own.devices().forEach(device -> layout.add(node.coresByDevice().get(device.index())));
      }
    }
    layout.add(List.of(node.affinity(), node.linkRule(), node.controlFile(), node.memoryMib()));
    layout.add(node.devices().stream().map(node::shardsOf).toList());
    return layout;
  }

  private static List<String> write(NodePlan node) {
    return node.shards().isPresent() ? ofShards(node) : ofVirtualGpus(node);
  }

  /** Whole devices, and the shards of each. */
  private static List<String> ofShards(NodePlan node) {
    List<String> lines = new ArrayList<>();
    List<String> shards = new ArrayList<>();
    for (DeviceGroup group : node.deviceGroups()) {
      for (Device device : group.devices()) {
        String cores = node.coresByDevice().get(device.index());
        lines.add(
            "Name=%s%s File=%s%s"
                .formatted(
                    NodePlan.GPU,
                    type(group),
                    device.file(),
                    node.affinity() == Affinity.CORES ? " Cores=" + cores : ""));
        shards.add(
            "Name=%s Count=%d File=%s"
                .formatted(NodePlan.SHARD, node.shardsOf(device), device.file()));
      }
    }
    lines.addAll(shards);
    return List.copyOf(lines);
  }

  private static String type(DeviceGroup group) {
    return group.gresType().isEmpty() ? "" : " Type=" + group.gresType();
  }

  private static List<String> ofVirtualGpus(NodePlan node) {
    List<String> lines = new ArrayList<>();
    int[] deviceOf = node.virtualGpus().stream().mapToInt(gpu -> gpu.device().index()).toArray();
    for (DeviceGroup group : node.deviceGroups()) {
      for (int position = 0; position < group.count(); position++) {
        Device device = group.device(position);
        lines.add(
            "Name=%s%s MultipleFiles=%s,%s%s"
                .formatted(
                    NodePlan.GPU,
                    type(group),
                    device.file(),
                    node.controlFileOf(device),
                    nearness(node, lines.size(), deviceOf, position < group.count() / 2)));
      }
    }
    node.memoryMib()
        .ifPresent(
            mib -> lines.add("Name=%s Count=%dM Flags=CountOnly".formatted(NodePlan.MEMORY, mib)));
    return List.copyOf(lines);
  }

  private static String nearness(NodePlan node, int index, int[] deviceOf, boolean lowerHalf) {
    return switch (node.affinity()) {
      case LINKS -> " Links=" + links(node, index, deviceOf, lowerHalf);
      case CORES -> " Cores=" + node.coresByDevice().get(deviceOf[index]);
      case NONE -> "";
    };
  }

  /**
   * The Links= of one GPU. It never contains -2, because then a job of several GPUs silently gets
   * another number of them.
   */
  private static String links(NodePlan node, int index, int[] deviceOf, boolean lowerHalf) {
    StringBuilder links = new StringBuilder(2 * node.gpuCount());
    for (int other = 0; other < node.gpuCount(); other++) {
      boolean same = other < deviceOf.length && deviceOf[other] == deviceOf[index];
      links
          .append(other == 0 ? "" : ",")
          .append(other == index ? -1 : node.linkRule().link(same, lowerHalf));
    }
    return links.toString();
  }
}
