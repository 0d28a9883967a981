package org.schedgpu.gres;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** What {@code schedgpu gres plan} tells: a table for people, a tree for JSON, notes for both. */
final class PlanReport {
  private final GresPlan plan;
  private final Map<String, OptionalInt> cpusByNode;
  private final Optional<ClusterNow> now;

  /**
   * @param cpusByNode CPUs of each node, where they are known
   * @param now the cluster's slurm.conf, if it is given
   */
  PlanReport(GresPlan plan, Map<String, OptionalInt> cpusByNode, Optional<ClusterNow> now) {
    this.plan = plan;
    this.cpusByNode = cpusByNode;
    this.now = now;
  }

  /** Nodes before and after, at most 80 columns. */
  String table() {
    TextTable table = new TextTable("NODE", "BEFORE", "AFTER", "SHARES", "ORDER", "A SHARE");
    for (NodePlan node : plan.nodes()) {
      table.row(
          node.nodeName(),
          gresBefore(node),
          node.gres(),
          "%d x %d".formatted(node.devices().size(), node.sharesPerDevice()),
          node.order().word(),
          Sizes.format(shareBytes(node)));
    }
    return table.text();
  }

  /** What the administrator should know before the files are used. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    now.ifPresent(cluster -> notes.addAll(cluster.notes(plan)));
    for (NodePlan node : plan.nodes()) {
      OptionalInt cpus = cpusByNode.getOrDefault(node.nodeName(), OptionalInt.empty());
      if (cpus.isPresent() && cpus.getAsInt() < node.virtualGpuCount()) {
        notes.add(
            "node %s has %d CPUs for %d virtual GPUs: at one CPU a job, %d jobs run at a time"
                .formatted(
                    node.nodeName(), cpus.getAsInt(), node.virtualGpuCount(), cpus.getAsInt()));
      }
    }
    notes.add(
        "drain the nodes of GPU jobs before a count changes, then restart slurmctld and every"
            + " slurmd: Slurm requeues GPU jobs that run across the change");
    return notes;
  }

  /**
   * The facts of the plan.
   *
   * @param output the folder, or null if nothing is written
   */
  Map<String, Object> json(GresFiles files, Path output, boolean written) {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("nodes", plan.nodes().stream().map(this::nodeJson).toList());
    root.put("files", files.byName());
    root.put("output", output == null ? null : output.toString());
    root.put("written", written);
    root.put("notes", notes());
    return root;
  }

  private Map<String, Object> nodeJson(NodePlan node) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("nodeName", node.nodeName());
    json.put("gresBefore", gresBefore(node));
    json.put("gresAfter", node.gres());
    json.put("sharesPerDevice", node.sharesPerDevice());
    json.put("order", node.order().word());
    json.put("links", node.links());
    json.put("shareBytes", shareBytes(node));
    json.put("devices", node.devices().stream().map(d -> deviceJson(node, d)).toList());
    return json;
  }

  private static ObjectNode deviceJson(NodePlan node, Device device) {
    ObjectNode json = Json.tree(device);
    node.virtualIndexesOf(device).forEach(json.putArray("virtual")::add);
    return json;
  }

  /** What slurm.conf says; without it whole devices, what the node has without schedGPU. */
  private String gresBefore(NodePlan node) {
    return now.map(cluster -> cluster.gres(node.nodeName())).orElse("gpu:" + node.devices().size());
  }

  /** An even part of what one job can get on the smallest device. */
  private static long shareBytes(NodePlan node) {
    return Device.smallestUsableBytes(node.devices()) / node.sharesPerDevice();
  }
}
