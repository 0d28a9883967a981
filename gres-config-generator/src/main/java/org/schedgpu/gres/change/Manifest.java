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
 * What a backup folder holds and how far the change has come: {@code manifest.json}. The copies
 * beside it are named {@code 0-gres.conf.before} and {@code 0-gres.conf.after}, by the place of the
 * file in the list. Immutable.
 *
 * @param version of this format
 * @param id name of the backup's folder: UTC time, then a number that grows
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

  /** How far a change has come. The two that end in "ing" were interrupted if nobody is at work. */
  enum Step {
    @JsonProperty("applying")
    APPLYING,
    @JsonProperty("applied")
    APPLIED,
    @JsonProperty("reverting")
    REVERTING,
    @JsonProperty("reverted")
    REVERTED;

    /** Whether files of both kinds may be in place. */
    boolean inProgress() {
      return this == APPLYING || this == REVERTING;
    }

    /** Whether the new files are to be in place, or the old ones. */
    boolean forward() {
      return this == APPLYING || this == APPLIED;
    }

    /** The step after this one is done. */
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
   * @param path as it was named
   * @param target where its bytes are
   * @param before null: there was no file
   * @param after null: there shall be none
   * @param done whether the step is done for this file
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

    /** What the file is to be. */
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

  /** The number at the end of an id: later changes have larger ones, whatever the clock says. */
  static int number(String id) {
    Matcher matcher = ID.matcher(id);
    return matcher.matches() ? Integer.parseInt(matcher.group(1)) : -1;
  }

  /** A new step, nothing of it done; or the end of one. */
  Manifest at(Step next) {
    boolean done = !next.inProgress();
    return new Manifest(
        version, id, created, next, files.stream().map(file -> file.withDone(done)).toList());
  }

  /** With one more file done. */
  Manifest withDone(int index) {
    List<Entry> all = new ArrayList<>(files);
    all.set(index, all.get(index).withDone(true));
    return new Manifest(version, id, created, step, all);
  }
}
