package org.schedgpu.gres.files;

import com.fasterxml.jackson.annotation.JsonValue;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.schedgpu.gres.change.RequestedFiles;
import org.schedgpu.gres.change.UnifiedDiff;
import org.schedgpu.gres.site.SiteChange;

/**
 * All files of a plan: its own, and the files of the site that it changes. Nothing changes the
 * bytes.
 */
public final class PlannedFiles {
  private final Map<String, byte[]> files = new LinkedHashMap<>();
  private final Optional<SiteChange> site;
  private final Optional<GresConfChange> gresConf;

  /** With the site's slurm.conf in the plan, the separate file with lines for it is not needed. */
  public PlannedFiles(GresFiles own, Optional<SiteChange> site, Optional<GresConfChange> gresConf) {
    this.site = site;
    this.gresConf = gresConf;
    own.byName().forEach((name, text) -> files.put(name, text.getBytes(StandardCharsets.UTF_8)));
    if (site.isPresent()) {
      files.remove(GresFiles.SLURM_CONF);
      site.get().files().forEach(file -> files.put(file.name(), file.after()));
    }
    gresConf.ifPresent(
        change -> {
          files.putAll(change.files());
          files.computeIfPresent(GresFiles.DEVICES_CONF, (name, text) -> withOthers(change, text));
        });
    files.keySet().forEach(RequestedFiles::requireName);
  }

  /** Adds the devices of other nodes from the devices.conf beside gres.conf. */
  private static byte[] withOthers(GresConfChange change, byte[] planned) {
    return DevicesConf.beside(change.root()).with(planned);
  }

  /** True if files of this folder were read to make the plan. */
  public boolean isMadeFrom(Path folder) {
    return gresConf.map(change -> change.isOf(folder)).orElse(false);
  }

  public Map<String, byte[]> byName() {
    return files;
  }

  /** The content for JSON: a text, or an object with {@code base64} if the bytes are not UTF-8. */
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    files.forEach((name, bytes) -> json.put(name, new Content(bytes)));
    return json;
  }

  /**
   * Converted to text only while it is written, because two copies of a large cluster's files may
   * not fit into memory.
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Content(byte[] bytes) {
    @JsonValue
    Object json() {
      String text = new String(bytes, StandardCharsets.UTF_8);
      return Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)
          ? text
          : Map.of("base64", Base64.getEncoder().encodeToString(bytes));
    }
  }

  /** As {@link Content}. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Difference(Path file, byte[] after) {
    @JsonValue
    String text() {
      return text(Integer.MAX_VALUE);
    }

    String text(int maxLines) {
      return UnifiedDiff.of(file, after, maxLines);
    }
  }

  /**
   * The current content of the files in a folder, and of all other files that were read for the
   * plan.
   *
   * @return the values for the plan's JSON; null for a file that does not exist
   */
  public Map<String, Object> seen(Path folder) {
    Map<String, Path> paths = new LinkedHashMap<>();
    site.ifPresent(
        change ->
            change
                .read()
                .forEach((name, path) -> paths.put(isSite(folder) ? name : path.toString(), path)));
    gresConf.ifPresent(
        change ->
            change
                .read()
                .forEach(
                    (name, path) -> paths.put(isMadeFrom(folder) ? name : path.toString(), path)));
    files.keySet().forEach(name -> paths.put(name, folder.resolve(name)));
    Map<String, Object> seen = new LinkedHashMap<>();
    new TreeSet<>(paths.keySet())
        .forEach(name -> seen.put(name, RequestedFiles.Seen.at(paths.get(name)).json()));
    return seen;
  }

  private boolean isSite(Path other) {
    return site.isPresent() && SlurmConfFolder.same(site.get().folder(), other);
  }

  /** The files of a folder that the plan would change. */
  public Set<String> changedIn(Path folder) {
    Set<String> changed = new TreeSet<>();
    files.forEach(
        (name, after) -> {
          if (UnifiedDiff.differs(folder.resolve(name), after)) {
            changed.add(name);
          }
        });
    return changed;
  }

  /** The difference in each file of a folder; unchanged files are left out. */
  public Map<String, Object> diffs(Path folder) {
    Map<String, Object> diffs = new LinkedHashMap<>();
    differences(folder).forEach(diffs::put);
    return diffs;
  }

  private Map<String, Difference> differences(Path folder) {
    Map<String, Difference> differences = new LinkedHashMap<>();
    files.forEach(
        (name, after) -> {
          if (UnifiedDiff.differs(folder.resolve(name), after)) {
            differences.put(name, new Difference(folder.resolve(name), after));
          }
        });
    return differences;
  }

  /** Prints the new files with their names. */
  public void print(PrintWriter out) {
    files.forEach(
        (name, bytes) -> {
          out.print("==> " + name + " <==\n");
          out.print(new String(bytes, StandardCharsets.UTF_8));
          out.print('\n');
        });
  }

  /**
   * Prints {@link #diffs} one after the other, or a note that there are none.
   *
   * @param maxLines maximum number of lines for each file
   */
  public void printDiff(PrintWriter out, Path folder, int maxLines) {
    Map<String, Difference> differences = differences(folder);
    if (differences.isEmpty()) {
      out.print("no change: the files in " + folder + " are those of the plan already");
    }
    differences.values().forEach(difference -> out.print(difference.text(maxLines)));
    out.print('\n');
  }
}
