package org.schedgpu.gres.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.common.Json;
import org.schedgpu.gres.common.Sizes;
import org.schedgpu.gres.common.TextTable;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.files.CheckFolder;
import org.schedgpu.gres.files.DeviceOrder;
import org.schedgpu.gres.files.PlannedFiles;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.GpuGroup;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.site.NodeChange;
import org.schedgpu.gres.site.Notice;
import org.schedgpu.gres.site.Severity;
import org.schedgpu.gres.site.SiteChange;
import org.schedgpu.gres.site.Step;

/**
 * The output of {@code schedgpu gres plan}: a table for people, a tree for JSON, notes for both.
 */
final class PlanReport {
  private static final Set<String> ABOUT_GPUS =
      Set.of(NodePlan.GPU, NodePlan.MEMORY, NodePlan.SHARD, "mps");

  private final GresPlan plan;
  private final Map<String, OptionalInt> cpusByNode;
  private final Optional<SiteChange> site;
  private final List<Notice> planNotices;
  private final Map<String, NodeChange> changes = new HashMap<>();

  /**
   * @param cpusByNode CPUs of each node, if they are known
   * @param site the changes of the cluster's slurm.conf, if it is given
   * @param planNotices notices from making the plan
   */
  PlanReport(
      GresPlan plan,
      Map<String, OptionalInt> cpusByNode,
      Optional<SiteChange> site,
      List<Notice> planNotices) {
    this.plan = plan;
    this.planNotices = List.copyOf(planNotices);
    this.cpusByNode = cpusByNode;
    this.site = site;
    site.ifPresent(change -> change.nodes().forEach(node -> changes.put(node.name(), node)));
  }

  /**
   * Nodes before and after, in at most 80 columns; equal nodes share a row. If the table is too
   * wide, each part of Gres= gets its own line, so that no type is cut.
   */
  String table() {
    Map<List<String>, List<String>> namesByCells = new LinkedHashMap<>();
    for (NodePlan node : plan.nodes()) {
      namesByCells.computeIfAbsent(cells(node), c -> new ArrayList<>()).add(node.nodeName());
    }
    String text = table(namesByCells, false);
    return (text.contains(TextTable.CUT) ? table(namesByCells, true) : text) + sum();
  }

  /** The sums of all nodes, so that a lost device is noticed even among many nodes. */
  private String sum() {
    long before =
        plan.nodes().stream()
            .flatMap(node -> GresSpec.parse(gresBefore(node)).stream())
            .filter(spec -> spec.name().equals(NodePlan.GPU))
            .mapToLong(GresSpec::count)
            .sum();
    long after = plan.nodes().stream().mapToLong(NodePlan::gpuCount).sum();
    long devices = plan.nodes().stream().mapToLong(node -> node.devices().size()).sum();
    return "in all: %s in Gres= before, %d after, on %s of %s%n"
        .formatted(
            count(before, "GPU"),
            after,
            count(devices, "device"),
            count(plan.nodes().size(), "node"));
  }

  private static String count(long number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  private static String table(Map<List<String>, List<String>> namesByCells, boolean split) {
    TextTable table = new TextTable("NODE", "BEFORE", "AFTER", "SHARES", "ORDER", "A SHARE");
    namesByCells.forEach(
        (cells, names) -> {
          List<String> row = new ArrayList<>(List.of(Hostlist.compress(names)));
          row.addAll(cells);
          if (split) {
            splitRows(row).forEach(table::row);
          } else {
            table.row(row.toArray(String[]::new));
          }
        });
    return table.text();
  }

  private static List<String[]> splitRows(List<String> row) {
    List<String> before = List.of(row.get(1).split(",", -1));
    List<String> after = List.of(row.get(2).split(",", -1));
    List<String[]> rows = new ArrayList<>();
    for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
      List<String> cells = new ArrayList<>(i == 0 ? row : Collections.nCopies(row.size(), ""));
      cells.set(1, i < before.size() ? before.get(i) : "");
      cells.set(2, i < after.size() ? after.get(i) : "");
      rows.add(cells.toArray(String[]::new));
    }
    return rows;
  }

  private List<String> cells(NodePlan node) {
    String before = gresBefore(node);
    return List.of(
        before.isEmpty() ? "-" : before,
        node.gres(),
        each(node, group -> shares(node, group), " + "),
        each(node, group -> group.order().word(), ","),
        Sizes.format(shareBytes(node)));
  }

  /** Devices and their shares, or shards: {@code 2 x 4}, {@code 1 x 4 + 1 x 10}. */
  private static String shares(NodePlan node, DeviceGroup group) {
    Map<Long, Integer> devices = new LinkedHashMap<>();
    for (Device device : group.devices()) {
      long each = node.shards().isPresent() ? node.shardsOf(device) : group.sharesPerDevice();
      devices.merge(each, 1, Integer::sum);
    }
    return devices.entrySet().stream()
        .map(entry -> entry.getValue() + " x " + entry.getKey())
        .collect(Collectors.joining(" + "));
  }

  /** What the administrator should know before the files are used, the most severe first. */
  List<String> notes() {
    return notices().stream().map(Notice::text).toList();
  }

  private List<Notice> notices() {
    List<Notice> notices = new ArrayList<>(planNotices);
    site.ifPresent(change -> notices.addAll(change.notices()));
    notices.addAll(Notice.all(Severity.COUNTS, tooFewCpus()));
    if (site.isEmpty()) {
      notices.add(
          new Notice(
              Severity.COUNTS,
              "drain the nodes of GPU jobs before a count changes, then restart slurmctld and every"
                  + " slurmd: Slurm requeues GPU jobs that run across the change"));
    }
    notices.sort(Comparator.comparing(Notice::severity));
    return notices;
  }

  /** The {@link #notices}, grouped by severity. */
  private String noticeText() {
    StringBuilder text = new StringBuilder();
    String word = site.isPresent() ? "warning: " : "note: ";
    Severity last = null;
    for (Notice notice : notices()) {
      if (notice.severity() != last) {
        last = notice.severity();
        text.append(last.heading()).append('\n');
      }
      text.append(last == Severity.NOTE ? "note: " : word).append(notice.text()).append('\n');
    }
    return text.toString();
  }

  private List<String> tooFewCpus() {
    Map<String, List<String>> namesByNote = new LinkedHashMap<>();
    for (NodePlan node : plan.nodes()) {
      OptionalInt cpus = cpusByNode.getOrDefault(node.nodeName(), OptionalInt.empty());
      if (cpus.isPresent() && cpus.getAsInt() < node.virtualGpuCount()) {
        String note =
            "has %1$d CPUs for %2$d virtual GPUs: at one CPU a job, %1$d jobs run at a time"
                .formatted(cpus.getAsInt(), node.virtualGpuCount());
        namesByNote.computeIfAbsent(note, n -> new ArrayList<>()).add(node.nodeName());
      }
    }
    List<String> notes = new ArrayList<>();
    namesByNote.forEach(
        (note, names) ->
            notes.add(
                (names.size() == 1 ? "node %s %s" : "each of %s %s")
                    .formatted(Hostlist.compress(names), note)));
    return notes;
  }

  /** The steps on the live cluster, if its files are known. */
  List<Step> steps(PlannedFiles files, Path folder) {
    return site.map(change -> steps(change, files, files.changedIn(folder))).orElse(List.of());
  }

  private List<Step> steps(SiteChange change, PlannedFiles files, Set<String> changed) {
    if (changed.isEmpty()) {
      return List.of();
    }
    Set<String> same =
        change.nodes().stream()
            .filter(node -> node.before().equals(node.after()))
            .map(NodeChange::name)
            .collect(Collectors.toSet());
    boolean canTell =
        !same.isEmpty() && Files.exists(change.folder().resolve(CheckFolder.SLURM_CONF));
    return change.steps(
        changed,
        canTell ? DeviceOrder.moved(change.folder(), files.byName(), same::contains) : same);
  }

  /** The {@link #notes} and {@link #steps} as text. */
  String text(PlannedFiles files, Path folder) {
    StringBuilder text = new StringBuilder(noticeText());
    List<Step> steps = steps(files, folder);
    for (int i = 0; i < steps.size(); i++) {
      text.append(
          i == 0 ? "\nSteps on the live cluster, with the plan kept by --json > plan.json:\n" : "");
      stepLines(i + 1, steps.get(i).what(), steps.get(i).commands())
          .forEach(line -> text.append(line).append('\n'));
    }
    return text.toString();
  }

  static List<String> stepLines(int number, String what, List<String> commands) {
    List<String> lines = new ArrayList<>(List.of("%2d. %s".formatted(number, what)));
    commands.forEach(command -> lines.add("      " + command));
    return lines;
  }

  /**
   * The plan as a tree for JSON.
   *
   * @param output the folder, or null if it is not known
   */
  Map<String, Object> json(PlannedFiles files, Path output, boolean written) {
    Map<String, Object> root = new LinkedHashMap<>();
    // Made one at a time while writing: those of a large cluster do not fit into memory together.
    Iterable<Object> nodes = () -> plan.nodes().stream().<Object>map(this::nodeJson).iterator();
    root.put("nodes", nodes);
    root.put("files", files.json());
    root.put("output", output == null ? null : output.toString());
    root.put("written", written);
    root.put("notes", notes());
    if (site.isPresent()) {
      root.put("warnings", notes());
      root.put("diff", files.diffs(output));
      root.put("steps", steps(files, output));
    }
    return root;
  }

  private Map<String, Object> nodeJson(NodePlan node) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("nodeName", node.nodeName());
    json.put("gresBefore", gresBefore(node));
    json.put("gresAfter", node.gres());
    json.put("sharesPerDevice", only(node, DeviceGroup::sharesPerDevice));
    json.put("order", only(node, group -> group.order().word()));
    json.put("links", node.affinity() == Affinity.LINKS);
    json.put("affinity", node.affinity().word());
    json.put("groups", node.groups().stream().map(PlanReport::groupJson).toList());
    json.put("shareBytes", shareBytes(node));
    node.shards().ifPresent(rule -> json.put("shards", node.shardCount()));
    Map<Integer, List<Integer>> indexes = node.virtualIndexes();
    json.put(
        "devices",
        node.devices().stream().map(d -> deviceJson(d, indexes.get(d.index()))).toList());
    return json;
  }

  /**
   * A group, in the order of Slurm's indexes. An unchanged group has neither devices nor shares.
   */
  private static Map<String, Object> groupJson(GpuGroup group) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("type", group.gresType());
    json.put("count", group.count());
    if (group instanceof DeviceGroup own) {
      json.put("devices", own.devices().stream().map(Device::index).toList());
      json.put("sharesPerDevice", own.sharesPerDevice());
      json.put("order", own.order().word());
      json.put("shareBytes", own.shareBytes());
    }
    return json;
  }

  /** The value that all groups have in common, or null if they differ. */
  private static Object only(NodePlan node, Function<DeviceGroup, Object> property) {
    List<Object> values = node.deviceGroups().stream().map(property).distinct().toList();
    return values.size() == 1 ? values.get(0) : null;
  }

  private static String each(
      NodePlan node, Function<DeviceGroup, String> property, String between) {
    return node.deviceGroups().stream()
        .map(property)
        .distinct()
        .collect(Collectors.joining(between));
  }

  private static ObjectNode deviceJson(Device device, List<Integer> indexes) {
    ObjectNode json = Json.tree(device);
    indexes.forEach(json.putArray("virtual")::add);
    return json;
  }

  /**
   * The GPUs in slurm.conf; other GRES stay. Without slurm.conf, the whole devices that the node
   * would have without schedGPU.
   */
  private String gresBefore(NodePlan node) {
    NodeChange change = changes.get(node.nodeName());
    return change == null
        ? "gpu:" + node.devices().size()
        : Stream.of(change.before().split(",", -1))
            .filter(part -> ABOUT_GPUS.contains(part.split(":", 2)[0].strip()))
            .collect(Collectors.joining(","));
  }

  /** The smallest share, or a shard. */
  private static long shareBytes(NodePlan node) {
    if (node.shards().isPresent()) {
      return node.shards().get().unitBytes();
    }
    return node.deviceGroups().stream().mapToLong(DeviceGroup::shareBytes).min().orElseThrow();
  }
}
