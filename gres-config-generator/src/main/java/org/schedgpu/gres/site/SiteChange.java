package org.schedgpu.gres.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.gres.SlurmConfSettings;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfKind;
import org.schedgpu.gres.conf.ConfTree;
import org.schedgpu.gres.conf.SlurmConfig;

/** What a plan makes of the site's own files, and what the administrator has to know of them. */
public final class SiteChange {
  private final SiteFolder folder;
  private final List<NodeChange> nodes;
  private final List<SiteFile> files;
  private final List<Path> read;
  private final List<String> warnings;

  private SiteChange(
      SiteFolder folder,
      List<NodeChange> nodes,
      List<SiteFile> files,
      List<Path> read,
      List<String> warnings) {
    this.folder = folder;
    this.nodes = List.copyOf(nodes);
    this.files = List.copyOf(files);
    this.read = List.copyOf(read);
    this.warnings = List.copyOf(warnings);
  }

  /**
   * Makes the changes, in memory.
   *
   * @param config what was read
   * @param nodes the nodes of the plan
   * @param settings paths of prolog, epilog and plugstack.conf
   * @throws org.schedgpu.gres.GresException if a file outside the folder would have to change, or
   *     the result would mean something else than was planned
   */
  public static SiteChange of(
      SlurmConfig config, List<NodeChange> nodes, SlurmConfSettings settings, SiteWishes wishes) {
    Path slurmConf = config.tree().files().get(0).path();
    SiteFolder folder = new SiteFolder(slurmConf);
    SiteEdits edits = new SiteEdits(config);
    Map<String, String> gres = new LinkedHashMap<>();
    nodes.forEach(node -> gres.put(node.name(), node.after()));
    NodeGres.set(edits, nodes);
    Map<Path, ConfFile> changed = edits.changed();
    SlurmConfig after = SlurmConfig.of(ConfTree.read(slurmConf, ConfKind.SLURM_CONF, changed));
    new SameMeaning(config, after).require(gres, edits.touched(), Set.of());
    List<SiteFile> files = new ArrayList<>();
    changed.forEach(
        (path, file) ->
            files.add(
                new SiteFile(
                    folder.changeable(path),
                    Optional.of(config.tree().file(path).orElseThrow().bytes()),
                    file.bytes())));
    List<Path> read = config.tree().files().stream().map(ConfFile::path).toList();
    return new SiteChange(folder, nodes, files, read, edits.warnings());
  }

  /** The folder of slurm.conf. */
  public Path folder() {
    return folder.path();
  }

  /** The nodes of the plan. */
  public List<NodeChange> nodes() {
    return nodes;
  }

  /** The files that change, slurm.conf's own first. */
  public List<SiteFile> files() {
    return files;
  }

  /** All files that were looked at, by the name that they have from the folder, or their path. */
  public Map<String, Path> read() {
    Map<String, Path> byName = new LinkedHashMap<>();
    read.forEach(path -> byName.put(folder.name(path).orElse(path.toString()), path));
    return byName;
  }

  /** What the administrator has to know, with the consequence. */
  public List<String> warnings() {
    return warnings;
  }
}
