package org.schedgpu.gres.files;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.UnchangedGroup;
import org.schedgpu.gres.site.Notice;

/**
 * The gres.conf in place, with its includes: what it says of the nodes of a plan, and the changes
 * that the plan makes to it.
 */
public final class CurrentGresConf {
  private final GresConfig config;
  private final Optional<List<String>> clusterNodes;
  private final Function<String, String> gresOf;
  private final GresBlockReader block;
  private final Set<ConfLine> ours;

  private CurrentGresConf(
      GresConfig config, Optional<List<String>> clusterNodes, Function<String, String> gresOf) {
    this.config = config;
    this.clusterNodes = clusterNodes;
    this.gresOf = gresOf;
    this.block = new GresBlockReader(root());
    this.ours = new HashSet<>(block.lines());
  }

  /**
   * Reads gres.conf and its includes.
   *
   * @param clusterNodes all nodes of the cluster, if they are known
   * @throws GresException if slurmd would reject it, or schedGPU's lines in it are damaged
   */
  public static CurrentGresConf read(Path gresConf, Optional<List<String>> clusterNodes) {
    return read(gresConf, clusterNodes, node -> "");
  }

  /**
   * The same.
   *
   * @param gresOf by node name, Gres= of slurm.conf; empty text if it is not known
   */
  public static CurrentGresConf read(
      Path gresConf, Optional<List<String>> clusterNodes, Function<String, String> gresOf) {
    return new CurrentGresConf(GresConfig.read(gresConf), clusterNodes, gresOf);
  }

  /**
   * The lines that apply to a node. Of the lines without NodeName= slurmd ignores the types that
   * slurm.conf does not have for the node.
   */
  public List<GresLine> linesFor(String node) {
    List<GresLine> lines = config.linesFor(node);
    List<GresSpec> gpus =
        GresSpec.parse(gresOf.apply(node)).stream()
            .filter(spec -> spec.name().equalsIgnoreCase(NodePlan.GPU))
            .toList();
    boolean allTyped = gpus.stream().allMatch(spec -> spec.type().isPresent());
    Set<String> types = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    gpus.forEach(spec -> spec.type().ifPresent(types::add));
    return types.isEmpty() || !allTyped
        ? lines
        : lines.stream().filter(line -> !isForOthers(line, types)).toList();
  }

  private static boolean isForOthers(GresLine line, Set<String> types) {
    return line.nodes().isEmpty()
        && GresLineKinds.isGpu(line)
        && line.type().filter(type -> !types.contains(type)).isPresent();
  }

  ConfFile root() {
    return config.tree().files().get(0);
  }

  public GresConfig config() {
    return config;
  }

  Optional<List<String>> clusterNodes() {
    return clusterNodes;
  }

  GresBlockReader block() {
    return block;
  }

  /** True if schedGPU wrote the line. */
  public boolean isOurs(ConfLine line) {
    return ours.contains(line);
  }

  /** Notices from reading the files. */
  public List<Notice> notices() {
    return Notice.ofReader(config.warnings(), config.tree().stops());
  }

  /** The MIG instances of a node; a plan leaves them unchanged. */
  public List<UnchangedGroup> kept(String node) {
    return GresLineKinds.kept(linesFor(node));
  }

  /** True if the MIG instances of a device are listed. */
  public boolean isMig(String node, String file) {
    return linesFor(node).stream()
        .anyMatch(line -> GresLineKinds.isMig(line) && line.files().contains(file));
  }

  /** The current Type= of a device. */
  public Optional<String> type(String node, String file) {
    return GresLineKinds.type(linesFor(node), file);
  }

  /** The current Cores= of a device. */
  public Optional<String> cores(String node, String file) {
    return GresLineKinds.cores(linesFor(node), file);
  }

  /** True if Slurm knows GPUs of a node, from a line or through AutoDetect=. */
  boolean knowsGpus(String node) {
    return linesFor(node).stream().anyMatch(GresLineKinds::isGpu) || detects(node);
  }

  /** True if AutoDetect= finds GPUs of a node. */
  public boolean detects(String node) {
    return config.autoDetect(node).filter(setting -> !isOff(setting.value())).isPresent();
  }

  /** The lines of a node that schedGPU did not write. */
  List<GresLine> foreign(String node) {
    return linesFor(node).stream().filter(line -> !isOurs(line.line())).toList();
  }

  /** The global AutoDetect=, if it detects anything. */
  Optional<Setting> detectsForAll() {
    return config.autoDetect("").filter(setting -> !isOff(setting.value()));
  }

  public static boolean isOff(String autoDetect) {
    return autoDetect.equalsIgnoreCase("off");
  }

  /**
   * The files of gres.conf with the plan's lines, and no other change.
   *
   * @param force replace schedGPU's lines even if they were edited by hand
   * @throws GresException if a line contradicts the plan, or another node would get other GPUs
   */
  Edited with(GresPlan plan, boolean force) {
    if (!force) {
      block.requireUnchanged();
    }
    GresConfEdits edits = new GresConfEdits(this, plan);
    Map<Path, ConfFile> changed = new LinkedHashMap<>(edits.changed());
    new GresUnchangedCheck(config, plan).require(changed);
    return new Edited(changed, edits.notes());
  }

  /**
   * The result of a change.
   *
   * @param files the changed files by path
   * @param notes what the administrator should know
   */
  record Edited(Map<Path, ConfFile> files, List<String> notes) {}
}
