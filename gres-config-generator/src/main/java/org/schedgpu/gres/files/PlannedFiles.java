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
 * All files of a plan: its own, and those of the site that it changes. Nobody changes the bytes.
 */
public final class PlannedFiles {
  private final Map<String, byte[]> files = new LinkedHashMap<>();
  private final Optional<SiteChange> site;
  private final Optional<GresConfChange> gresConf;

  /** With the site's slurm.conf in the plan nobody needs a file with lines for it. */
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

  /** The devices of nodes that are not planned stay in the devices.conf beside gres.conf. */
  private static byte[] withOthers(GresConfChange change, byte[] planned) {
    return DevicesConf.beside(change.root()).with(planned);
  }

  /** Whether what stands in this folder is part of what the files were made from. */
  public boolean isMadeFrom(Path folder) {
    return gresConf.map(change -> change.isOf(folder)).orElse(false);
  }

  public Map<String, byte[]> byName() {
    return files;
  }

  /** For JSON: a text, or an object with {@code base64} if the bytes are not UTF-8. */
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    files.forEach((name, bytes) -> json.put(name, new Content(bytes)));
    return json;
  }

  /** Made a text only when it is written: the files of a large cluster do not fit in twice. */
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
   * What a folder holds under the names of the files, and what else the plan was made from.
   *
   * @return for the plan's JSON; null for a file that is not there
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

  /** The files of a folder that would not be what they are. */
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

  /** What is different in each file of a folder; a file that stays is not among them. */
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

  /** Prints the files as they are to be, with their names. */
  public void print(PrintWriter out) {
    files.forEach(
        (name, bytes) -> {
          out.print("==> " + name + " <==\n");
          out.print(new String(bytes, StandardCharsets.UTF_8));
          out.print('\n');
        });
  }

  /**
   * Prints {@link #diffs} one after the other, or that there is none.
   *
   * @param maxLines of each file
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
