package org.schedgpu.gres.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfKind;
import org.schedgpu.gres.conf.ConfTree;
import org.schedgpu.gres.conf.SlurmConfig;

/**
 * The changes of a plan to the site's own files, and what the administrator must know about them.
 */
public final class SiteChange {
  private final SiteFolder folder;
  private final List<NodeChange> nodes;
  private final List<SiteFile> files;
  private final List<Path> read;
  private final List<Notice> notices;
  private final Set<String> touched;
  private final SlurmConfig config;

  private SiteChange(SiteEdits edits, List<NodeChange> nodes, List<SiteFile> files) {
    this.folder = new SiteFolder(edits.config().tree().files().get(0).path());
    this.nodes = List.copyOf(nodes);
    this.files = List.copyOf(files);
    this.read = edits.config().tree().files().stream().map(ConfFile::path).toList();
    this.notices = edits.notices();
    this.touched = new TreeSet<>(edits.touched());
    this.config = edits.config();
  }

  /**
   * Makes the changes, in memory.
   *
   * @param config the files as read
   * @param nodes the nodes of the plan
   * @param settings paths of prolog, epilog and plugstack.conf
   * @throws org.schedgpu.gres.common.GresException if a file outside the folder would have to
   *     change, or the result would have another meaning than planned
   */
  public static SiteChange of(
      SlurmConfig config, List<NodeChange> nodes, SlurmConfSettings settings, SiteRequest request) {
    SiteEdits edits = new SiteEdits(config);
    Notice.ofReader(config.warnings(), config.tree().stops())
        .forEach(notice -> edits.warn(notice.severity(), notice.text()));
    SitePlan plan = new SitePlan(nodes, settings, request);
    NodeGres.set(edits, nodes);
    RemovedTypes.check(edits, plan);
    SharingPlugins.check(edits, plan);
    Accounting.check(edits, plan);
    Billing.check(edits, plan);
    Hooks.check(edits, plan);
    SpankLines.check(edits, plan);
    CliFilter.check(edits, plan);
    Cgroups.check(edits, plan);
    Counts.check(edits, plan);
    Preemption.check(edits, plan);
    Path slurmConf = config.tree().files().get(0).path();
    Limits.check(edits, plan, slurmConf);
    Map<Path, ConfFile> changed = edits.changed();
    SlurmConfig after = SlurmConfig.of(ConfTree.read(slurmConf, ConfKind.SLURM_CONF, changed));
    new MeaningUnchangedCheck(config, after)
        .require(plan.gresByNode(), edits.touched(), edits.billed());
    return new SiteChange(edits, nodes, files(edits, changed));
  }

  private static List<SiteFile> files(SiteEdits edits, Map<Path, ConfFile> changed) {
    SiteFolder folder = new SiteFolder(edits.config().tree().files().get(0).path());
    List<SiteFile> files = new ArrayList<>();
    changed.forEach((path, file) -> files.add(new SiteFile(folder.changeable(path), file.bytes())));
    edits
        .others()
        .forEach((path, bytes) -> files.add(new SiteFile(folder.changeable(path), bytes)));
    return files;
  }

  /** The folder of slurm.conf. */
  public Path folder() {
    return folder.path();
  }

  /** The nodes of the plan. */
  public List<NodeChange> nodes() {
    return nodes;
  }

  /** The changed files, slurm.conf first. */
  public List<SiteFile> files() {
    return files;
  }

  /** All files that were read, by their name relative to the folder, or their path. */
  public Map<String, Path> read() {
    Map<String, Path> byName = new LinkedHashMap<>();
    read.forEach(path -> byName.put(folder.name(path).orElse(path.toString()), path));
    return byName;
  }

  /** What the administrator must know. */
  public List<Notice> notices() {
    return notices;
  }

  /** The texts of {@link #notices}. */
  public List<String> warnings() {
    return notices.stream().map(Notice::text).toList();
  }

  /**
   * What to do on the live cluster, in order; empty if no file changes.
   *
   * @param fileNames the changed files, including the plan's own
   * @param moved nodes on which an index would mean another device
   */
  public List<Step> steps(Set<String> fileNames, Set<String> moved) {
    return new Steps(config, nodes, touched, fileNames, moved).all();
  }
}
