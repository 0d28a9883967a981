package org.schedgpu.gres.change;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.GresException;

/**
 * The content of {@code manifest.json}: the files of a backup, and how far the change has come. The
 * copies beside it are named {@code 0-gres.conf.before} and {@code 0-gres.conf.after}, by the
 * position of the file in the list. Immutable.
 *
 * @param version version of the manifest's format
 * @param id name of the backup's folder: UTC time, then an increasing number
 * @param created ISO 8601, UTC
 * @param step how far the change has come
 * @param files in the order in which they are replaced
 */
record Manifest(
    @JsonProperty(required = true) int version,
    @JsonProperty(required = true) String id,
    @JsonProperty(required = true) String created,
    @JsonProperty(required = true) Step step,
    @JsonProperty(required = true) List<Entry> files) {
  static final int VERSION = 1;
  static final String FILE = "manifest.json";
  static final String BROKEN = "take the folder out of schedgpu-backup; its copies are plain files";
  private static final Pattern ID = Pattern.compile("[0-9]{8}T[0-9]{6}Z-([0-9]{1,9})");

  /**
   * How far a change has come. If no process works on it, the two that end in "ing" were
   * interrupted.
   */
  enum Step {
    @JsonProperty("applying")
    APPLYING,
    @JsonProperty("applied")
    APPLIED,
    @JsonProperty("reverting")
    REVERTING,
    @JsonProperty("reverted")
    REVERTED;

    /** True if some files may be old and others new. */
    boolean inProgress() {
      return this == APPLYING || this == REVERTING;
    }

    /** True if the step puts the new files in place, false if it restores the old ones. */
    boolean forward() {
      return this == APPLYING || this == APPLIED;
    }

    /** The state that follows when this step is finished. */
    Step end() {
      return forward() ? APPLIED : REVERTED;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One file of the change.
   *
   * @param path as the caller named it
   * @param target the file itself, all links resolved
   * @param before null if the file did not exist
   * @param after null if the file is to be removed
   * @param done whether the step is finished for this file
   */
  record Entry(
      @JsonProperty(required = true) String path,
      @JsonProperty(required = true) String target,
      @JsonProperty(required = true) FileState before,
      @JsonProperty(required = true) FileState after,
      @JsonProperty(required = true) boolean done) {

    Entry {
      if (path == null || target == null || !Path.of(target).isAbsolute()) {
        throw new GresException(
            "a file of the list has no absolute path '" + target + "'", Manifest.BROKEN);
      }
    }

    /** The state that the file gets in this step. */
    FileState goal(boolean forward) {
      return forward ? after : before;
    }

    Entry withDone(boolean isDone) {
      return new Entry(path, target, before, after, isDone);
    }
  }

  Manifest {
    if (version != VERSION) {
      throw new GresException(
          "version " + version + " is not known, this is version " + VERSION,
          "use the schedgpu that wrote it");
    }
    if (id == null || !ID.matcher(id).matches()) {
      throw new GresException("'" + id + "' is no id of a backup", BROKEN);
    }
    if (files == null || files.isEmpty() || step == null) {
      throw new GresException("it names no file or no step", BROKEN);
    }
    files = List.copyOf(files);
  }

  /** The number at the end of an id. Later changes have larger numbers, whatever the clock says. */
  static int number(String id) {
    Matcher matcher = ID.matcher(id);
    return matcher.matches() ? Integer.parseInt(matcher.group(1)) : -1;
  }

  /** The manifest at the start or the end of a step; at the start no file is done. */
  Manifest at(Step next) {
    boolean done = !next.inProgress();
    return new Manifest(
        version, id, created, next, files.stream().map(file -> file.withDone(done)).toList());
  }

  /** The manifest with one more file marked as done. */
  Manifest withDone(int index) {
    List<Entry> all = new ArrayList<>(files);
    all.set(index, all.get(index).withDone(true));
    return new Manifest(version, id, created, step, all);
  }
}
