package org.schedgpu.gres.change;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a run did, or would do. */
public final class Outcome {
  private final Optional<Path> backup;
  private final List<FileChange> changes;
  private final List<String> notes;

  Outcome(Optional<Path> backup, List<FileChange> changes, List<String> notes) {
    this.backup = backup;
    this.changes = List.copyOf(changes);
    this.notes = List.copyOf(notes);
  }

  /** The folder of the backup that this run made or used. */
  public Optional<Path> backup() {
    return backup;
  }

  /** Other events, as sentences: an interrupted run was finished, a copy was kept. */
  public List<String> notes() {
    return notes;
  }

  /** True if a file was or would be changed. */
  public boolean changes() {
    return changes.stream().anyMatch(FileChange::changes);
  }

  /** One line for each file, {@code replaced: /etc/slurm/gres.conf}. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (FileChange change : changes) {
      String link =
          change.path().equals(change.target()) ? "" : " (a link to " + change.target() + ")";
      lines.add(change.word() + ": " + change.path() + link);
    }
    return lines;
  }

  /** The difference in each file, below the file's name. */
  public String diff(int maxLinesOfFile) {
    StringBuilder text = new StringBuilder();
    for (FileChange change : changes) {
      if (change.changes()) {
        text.append("==> ").append(change.path()).append(" <==\n");
        text.append(change.diff(maxLinesOfFile));
      }
    }
    return text.toString();
  }

  /** For {@code --json}. */
  public Map<String, Object> json() {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("changed", changes());
    root.put("backup", backup.map(path -> path.getFileName().toString()).orElse(null));
    root.put("backupFolder", backup.map(Path::toString).orElse(null));
    root.put("files", changes.stream().map(Outcome::fileJson).toList());
    root.put("notes", notes);
    return root;
  }

  private static Map<String, Object> fileJson(FileChange change) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("path", change.path().toString());
    json.put("target", change.target().toString());
    json.put("change", change.word());
    json.put("before", change.before().map(Snapshot::state).orElse(null));
    json.put("after", change.after().map(Snapshot::state).orElse(null));
    return json;
  }
}
