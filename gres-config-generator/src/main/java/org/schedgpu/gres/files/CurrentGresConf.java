package org.schedgpu.gres.files;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.UnchangedGroup;
import org.schedgpu.gres.site.Notice;

/** The gres.conf in place: what it says of the nodes of a plan, and what it has to say. */
public final class CurrentGresConf {
  private final GresConfig config;
  private final Optional<List<String>> clusterNodes;
  private final GresBlockReader block;
  private final Set<ConfLine> ours;

  private CurrentGresConf(GresConfig config, Optional<List<String>> clusterNodes) {
    this.config = config;
    this.clusterNodes = clusterNodes;
    this.block = new GresBlockReader(root());
    this.ours = new HashSet<>(block.lines());
  }

  /**
   * Reads gres.conf and its includes.
   *
   * @param clusterNodes all nodes of the cluster, if they are known
   * @throws GresException if slurmd would refuse it, or our lines in it are damaged
   */
  public static CurrentGresConf read(Path gresConf, Optional<List<String>> clusterNodes) {
    return new CurrentGresConf(GresConfig.read(gresConf), clusterNodes);
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

  /** Whether a line is one of those that we wrote. */
  public boolean isOurs(ConfLine line) {
    return ours.contains(line);
  }

  /** What the reader found. */
  public List<Notice> notices() {
    return Notice.ofReader(config.warnings(), config.tree().stops());
  }

  /** The MIG instances of a node, which stay. */
  public List<UnchangedGroup> kept(String node) {
    return GresLineKinds.kept(config.linesFor(node));
  }

  /** Whether a device's MIG instances are listed. */
  public boolean isMig(String node, String file) {
    return config.linesFor(node).stream()
        .anyMatch(line -> GresLineKinds.isMig(line) && line.files().contains(file));
  }

  /** Type= that a device has now. */
  public Optional<String> type(String node, String file) {
    return GresLineKinds.type(config.linesFor(node), file);
  }

  /** Cores= that a device has now. */
  public Optional<String> cores(String node, String file) {
    return GresLineKinds.cores(config.linesFor(node), file);
  }

  /** Whether Slurm is told of GPUs of a node: by a line, or by a detector. */
  boolean knowsGpus(String node) {
    return config.linesFor(node).stream().anyMatch(GresLineKinds::isGpu) || detects(node);
  }

  /** Whether a detector finds GPUs of a node. */
  public boolean detects(String node) {
    return config.autoDetect(node).filter(setting -> !isOff(setting.value())).isPresent();
  }

  /** Lines of a node that are not ours. */
  List<GresLine> foreign(String node) {
    return config.linesFor(node).stream().filter(line -> !isOurs(line.line())).toList();
  }

  /** AutoDetect= for all nodes, if it detects anything. */
  Optional<Setting> detectsForAll() {
    return config.autoDetect("").filter(setting -> !isOff(setting.value()));
  }

  public static boolean isOff(String autoDetect) {
    return autoDetect.equalsIgnoreCase("off");
  }

  /**
   * The files of gres.conf with the plan's lines in them, and nothing else changed.
   *
   * @param force write our lines anew though somebody changed them
   * @throws GresException if a line stands against the plan, or another node would get other GPUs
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
   * What becomes of the files.
   *
   * @param files those that change, by their path
   * @param notes what the administrator should know
   */
  record Edited(Map<Path, ConfFile> files, List<String> notes) {}
}
