package org.schedgpu.gres.command;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.common.TextTable;
import org.schedgpu.gres.rollout.DrainOwner;
import org.schedgpu.gres.rollout.NodeRecord;
import org.schedgpu.gres.rollout.RolloutRecord;
import org.schedgpu.gres.rollout.RolloutResult;

/** A rollout as text and as JSON. */
final class RolloutReport {
  private RolloutReport() {}

  /** The nodes of a rollout, as a table of 80 columns. */
  static String nodes(List<NodeRecord> nodes) {
    TextTable table = new TextTable("NODE", "BEFORE", "AFTER", "STATE");
    nodes.forEach(node -> table.row(node.name(), node.before(), node.after(), state(node)));
    return table.text();
  }

  private static String state(NodeRecord node) {
    if (node.note() != null) {
      return node.note();
    }
    if (node.done()) {
      return "done";
    }
    if (!node.changes()) {
      return "stays as it is";
    }
    return switch (node.hold()) {
      case NONE -> "in service";
      case OURS -> "drained";
      case OTHERS -> "found " + node.found();
    };
  }

  /** Describes what an unfinished run leaves behind. */
  static String open(RolloutRecord record) {
    List<String> drained =
        record.nodes().stream()
            .filter(node -> node.hold() == DrainOwner.OURS && !node.done())
            .map(NodeRecord::name)
            .toList();
    return "rollout %s is open (%s), %s"
        .formatted(
            record.id(),
            record.phase().word(),
            drained.isEmpty()
                ? "no node is drained by it"
                : "drained by it: " + String.join(" ", drained));
  }

  /** The output of {@code --status}. */
  static String status(RolloutRecord record) {
    String what = record.way() == RolloutRecord.Way.REVERT ? "back" : "to the plan";
    return "rollout %s, %s: %s%nfiles: %s%n%s"
        .formatted(
            record.id(),
            what,
            record.phase().word(),
            record.filesChanged() ? "changed" : "as they were",
            nodes(record.nodes()));
  }

  /** The record for {@code --json}. Commands may contain secrets and are left out. */
  static Map<String, Object> json(RolloutRecord record) {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("id", record.id());
    root.put("way", record.way());
    root.put("phase", record.phase());
    root.put("open", record.phase().isOpen());
    root.put("filesChanged", record.filesChanged());
    root.put("reason", DrainOwner.REASON + record.id());
    root.put("nodes", record.nodes());
    return root;
  }

  /** The record for {@code --json}, with the result of the run. */
  static Map<String, Object> json(RolloutRecord record, RolloutResult ending) {
    Map<String, Object> root = json(record);
    root.put("ending", ending.kind());
    root.put("message", ending.message());
    return root;
  }
}
