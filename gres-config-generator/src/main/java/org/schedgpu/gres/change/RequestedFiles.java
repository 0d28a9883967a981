package org.schedgpu.gres.change;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.GresException;

/**
 * The files that a plan wants in the folder, and the files that it saw there. Immutable if the
 * caller does not change the bytes.
 *
 * @param files content by name, in the order in which the files are replaced. A name may lead into
 *     a subfolder ({@code nodes/gpu.conf}), but never out of the folder
 * @param seen what the plan saw, by name; other files were not read. A file that is not replaced
 *     must still have this content; its name may be an absolute path
 * @param unchecked names of files that may replace any content
 */
public record RequestedFiles(
    Map<String, byte[]> files, Map<String, Seen> seen, Set<String> unchecked) {
  private static final String PART = "[A-Za-z0-9_][A-Za-z0-9._+@=~-]*";
  private static final Pattern NAME = Pattern.compile(PART + "(/" + PART + "){0,9}");

  /**
   * A file as the plan saw it.
   *
   * @param sha256 empty if there was no file
   * @param text the content, used to show a difference
   */
  public record Seen(Optional<String> sha256, String text) {
    /** The file as it is now. */
    public static Seen at(Path path) {
      return Snapshot.ofPath(path)
          .map(now -> new Seen(Optional.of(now.state().sha256()), text(now.content())))
          .orElse(new Seen(Optional.empty(), ""));
    }

    private static String text(byte[] content) {
      return new String(content, StandardCharsets.UTF_8);
    }

    /** The value for the plan's JSON; null if there was no file. */
    public Map<String, String> json() {
      return sha256.map(sum -> Map.of("sha256", sum, "text", text)).orElse(null);
    }

    /** Reads the value that {@link #json} wrote. */
    public static Seen parse(JsonNode json) {
      return new Seen(
          Optional.ofNullable(json.path("sha256").textValue()), json.path("text").asText());
    }
  }

  /**
   * @throws GresException if the list is empty, or a name may lead out of the folder
   */
  public RequestedFiles {
    if (files.isEmpty()) {
      throw new GresException("the plan has no file (0 given)", "make it with schedgpu gres plan");
    }
    for (String name : files.keySet()) {
      requireName(name);
    }
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    seen = Map.copyOf(seen);
    unchecked = Set.copyOf(unchecked);
  }

  /**
   * Rejects a name that may lead out of the folder, or into the folder of the backups.
   *
   * @throws GresException with what is wrong
   */
  public static void requireName(String name) {
    if (!NAME.matcher(name).matches() || name.split("/", 2)[0].equals(BackupStore.FOLDER)) {
      throw new GresException(
          "file name '" + name.replaceAll("\\p{Cntrl}", "?") + "' is not one in the folder",
          "use a name from the folder on, without '..', such as slurm.conf or nodes/gpu.conf");
    }
  }

  /** Names of files that the plan read and does not replace. */
  Set<String> onlySeen() {
    Set<String> names = new TreeSet<>(seen.keySet());
    names.removeAll(files.keySet());
    names.removeAll(unchecked);
    return names;
  }

  /** Rejects a file that is neither what the plan saw nor what the plan wants. */
  void requireAsSeen(String name, Path path, Optional<Snapshot> now, int diffLines) {
    Optional<String> sha256 = now.map(snapshot -> snapshot.state().sha256());
    boolean isAsWanted =
        files.containsKey(name) && sha256.equals(Optional.of(FileState.sha256(files.get(name))));
    if (isAsWanted || unchecked.contains(name)) {
      return;
    }
    Seen before = seen.get(name);
    if (before == null && now.isPresent()) {
      throw new GresException(
          "the plan does not know what " + path + " holds",
          "plan with --output "
              + path.getParent()
              + " --dry-run, or repeat with --force: the backup"
              + " keeps the present files");
    }
    if (before != null && !before.sha256().equals(sha256)) {
      String how = now.isEmpty() ? "was removed" : "was changed";
      throw ChangedFile.refusal(
          path + " " + (before.sha256().isEmpty() ? "was made" : how) + " since the plan",
          "plan again, or repeat with --force: the backup keeps the present files",
          LineDiff.of(
              before.text().getBytes(StandardCharsets.UTF_8),
              now.map(Snapshot::content).orElse(new byte[0]),
              diffLines));
    }
  }
}
