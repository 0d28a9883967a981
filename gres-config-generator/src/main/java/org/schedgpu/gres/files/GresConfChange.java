package org.schedgpu.gres.files;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.site.SiteFolder;

/**
 * The changes of a plan to the gres.conf in place and its includes. Nothing changes the bytes.
 *
 * @param root path of gres.conf
 * @param files gres.conf and the changed includes, by name relative to its folder
 * @param read all files that were read, by that name or by path
 * @param notes what the administrator should know
 */
public record GresConfChange(
    Path root, Map<String, byte[]> files, Map<String, Path> read, List<String> notes) {

  /**
   * Makes the changes, in memory.
   *
   * @throws GresException as {@link CurrentGresConf#with}, or if a file outside gres.conf's folder
   *     would have to change
   */
  public static GresConfChange of(CurrentGresConf now, GresPlan plan, boolean force) {
    Path root = now.root().path();
    SiteFolder folder = new SiteFolder(root);
    CurrentGresConf.Edited edited = now.with(plan, force);
    Map<Path, ConfFile> changed = edited.files();
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put(GresFiles.GRES_CONF, changed.getOrDefault(root, now.root()).bytes());
    changed.forEach(
        (path, file) -> {
          if (!path.equals(root)) {
            files.put(folder.changeable(path), file.bytes());
          }
        });
    Map<String, Path> read = new LinkedHashMap<>();
    now.config()
        .tree()
        .files()
        .forEach(
            file -> read.put(folder.name(file.path()).orElse(file.path().toString()), file.path()));
    return new GresConfChange(root, files, read, edited.notes());
  }

  /** True if the changed gres.conf is in this folder. */
  boolean isOf(Path folder) {
    return SlurmConfFolder.same(folder, root.getParent());
  }
}
