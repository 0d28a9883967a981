package org.schedgpu.gres.verify;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveNode;

/**
 * Compares plan, files and slurmctld. All findings are reported together, even if one of the three
 * cannot be read.
 */
public final class Verification {
  private final List<PlannedNode> planned;
  private final ConfCheck conf;
  private final FileCheck files;
  private final List<Finding> findings = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private Map<String, LiveNode> live = Map.of();
  private boolean asked;

  /**
   * @param folder of slurm.conf
   * @param plannedFiles content by name; empty without a plan
   */
  public Verification(List<PlannedNode> planned, Path folder, Map<String, byte[]> plannedFiles) {
    this.planned = List.copyOf(planned);
    conf = new ConfCheck(folder);
    files = new FileCheck(folder, plannedFiles);
  }

  /** Compares the files. */
  public void compareFiles() {
    files.run();
    conf.read();
    notes.addAll(files.notes());
  }

  /** Asks slurmctld; a failure becomes a finding. */
  public void ask(Controller controller, Settings settings) {
    try {
      Map<String, LiveNode> nodes = new LinkedHashMap<>();
      controller.nodes().forEach(node -> nodes.put(node.name(), node));
      live = nodes;
      asked = true;
    } catch (GresException e) {
      cannotAsk(e);
      return;
    }
    try {
      conf.compare(settings.get());
      notes.addAll(conf.notes());
    } catch (GresException e) {
      notes.add("not compared which slurm.conf slurmctld reads: " + MessageText.problem(e));
    }
  }

  /** The source of slurmctld's settings. */
  public interface Settings {
    /**
     * By name.
     *
     * @throws GresException if they are unknown
     */
    Map<String, String> get();
  }

  /** Notes that Slurm cannot be asked. */
  public void cannotAsk(GresException e) {
    findings.add(Finding.ofCluster("slurmctld was not asked", MessageText.problem(e)));
  }

  /** Adds the result of a job. */
  public void add(List<Finding> more, List<String> moreNotes) {
    findings.addAll(more);
    notes.addAll(moreNotes);
  }

  /** All problems: the folder first, then the nodes. */
  public List<Finding> findings() {
    List<Finding> all = new ArrayList<>(files.findings());
    all.addAll(conf.findings());
    planned.forEach(node -> all.addAll(of(node)));
    all.addAll(findings);
    return all;
  }

  /** The problems as lines, with the nodes of a problem together. */
  public List<String> lines() {
    return Finding.lines(findings());
  }

  /** Notes that are not problems. */
  public List<String> notes() {
    return notes;
  }

  /** One row for each node, in the order of the plan. */
  public List<Row> rows() {
    Map<String, List<Finding>> byNode = new LinkedHashMap<>();
    findings()
        .forEach(f -> byNode.computeIfAbsent(f.node(), n -> new ArrayList<>()).add(f.complete()));
    return planned.stream()
        .map(node -> row(node, byNode.getOrDefault(node.name(), List.of())))
        .toList();
  }

  /**
   * A node in the table.
   *
   * @param actual slurmctld's Gres; null if it has no such node or was not asked
   * @param state one word, null likewise
   */
  public record Row(
      String node,
      String planned,
      String actual,
      String state,
      boolean right,
      List<Finding> findings) {}

  private Row row(PlannedNode node, List<Finding> all) {
    Optional<LiveNode> found = Optional.ofNullable(live.get(node.name()));
    return new Row(
        node.name(),
        node.gres(),
        found.map(LiveNode::gres).orElse(null),
        found.map(NodeCheck::word).orElse(null),
        asked && all.isEmpty(),
        all);
  }

  private List<Finding> of(PlannedNode node) {
    return asked
        ? NodeCheck.check(node, Optional.ofNullable(live.get(node.name())), conf.gres(node.name()))
        : List.of();
  }
}
