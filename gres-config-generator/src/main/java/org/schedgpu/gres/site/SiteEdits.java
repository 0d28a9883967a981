package org.schedgpu.gres.site;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.conf.ConfEdit;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;

/** Collects changes to slurm.conf and its includes. Not thread-safe. */
public final class SiteEdits {
  private final SlurmConfig config;
  private final Map<Path, ConfEdit> edits = new LinkedHashMap<>();
  private final Map<String, String> added = new LinkedHashMap<>();
  private final Set<String> touched = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
  private final List<Notice> notices = new ArrayList<>();
  private final Set<String> billed = new TreeSet<>();
  private final Map<Path, byte[]> others = new LinkedHashMap<>();
  private final SiteFolder folder;

  /** Edits of the files as read. */
  public SiteEdits(SlurmConfig config) {
    this.config = config;
    folder = new SiteFolder(config.tree().files().get(0).path());
  }

  /** The folder of slurm.conf. */
  Path folder() {
    return folder.path();
  }

  /** A file's name relative to the folder; empty if it is elsewhere. */
  Optional<String> name(Path file) {
    return folder.name(file);
  }

  /** Sets the content of another file than slurm.conf and its includes. */
  void put(Path file, byte[] content) {
    others.put(file, content);
  }

  /** The content that {@link #put} set. */
  Map<Path, byte[]> others() {
    return others;
  }

  /** Notes a partition whose TRESBillingWeights= changed. */
  void billed(String partition) {
    billed.add(partition);
  }

  Set<String> billed() {
    return billed;
  }

  static boolean exists(Path file) {
    return Files.exists(file);
  }

  /** A file's bytes, one character each; empty if it does not exist. */
  static Optional<String> text(Path file) {
    try {
      return Optional.of(Files.readString(file, StandardCharsets.ISO_8859_1));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new GresException(
          "file %s cannot be read (%s)".formatted(file, IoReason.of(e)), "make it readable", e);
    }
  }

  /** The present content of the files. */
  public SlurmConfig config() {
    return config;
  }

  ConfEdit edit(ConfLine line) {
    Path path = line.place().file();
    return edits.computeIfAbsent(path, p -> config.tree().file(p).orElseThrow().edit());
  }

  /** Sets a key for the cluster, in its place or as the second line. */
  void setGlobal(String key, String value) {
    Optional<Setting> now = config.setting(key);
    if (now.isPresent()) {
      edit(now.get().line()).set(now.get().line(), now.get().key(), value);
    } else {
      addLine(key + "=" + value);
    }
    touched.add(key);
  }

  /** Adds a line to slurm.conf itself, after its first line that is not a comment. */
  private void addLine(String text) {
    ConfFile root = config.tree().files().get(0);
    Optional<ConfLine> first =
        root.lines().stream().filter(line -> !line.pairs().isEmpty()).findFirst();
    ConfEdit edit = edits.computeIfAbsent(root.path(), path -> root.edit());
    first.ifPresentOrElse(line -> edit.insertAfter(line, text), () -> edit.append(text));
  }

  private String list(String key) {
    return added.getOrDefault(key, config.setting(key).map(Setting::value).orElse(""));
  }

  /** True if a list such as GresTypes= has a word, after what was added so far. */
  boolean hasWord(String key, String word) {
    return Arrays.stream(list(key).split(",", -1))
        .map(String::strip)
        .anyMatch(word::equalsIgnoreCase);
  }

  /** Adds a word to a list such as GresTypes=, unless the list has it. */
  void addGlobal(String key, String word) {
    String now = list(key);
    if (!hasWord(key, word)) {
      added.put(key, now.isBlank() ? word : now + "," + word);
    }
  }

  /** Removes a word from a list such as GresTypes=, if the list has it. */
  void removeGlobal(String key, String word) {
    List<String> words = Arrays.stream(list(key).split(",", -1)).map(String::strip).toList();
    if (words.contains(word)) {
      added.put(key, String.join(",", words.stream().filter(w -> !w.equals(word)).toList()));
    }
  }

  /** Notes that Slurm will count or give something in another way. */
  void warn(String warning) {
    warn(Severity.COUNTS, warning);
  }

  void warn(Severity severity, String warning) {
    notices.add(new Notice(severity, warning));
  }

  List<Notice> notices() {
    return List.copyOf(notices);
  }

  /** The keys for the cluster that were set. */
  Set<String> touched() {
    return touched;
  }

  /** The changed files, by their path. Call it after all changes were collected. */
  public Map<Path, ConfFile> changed() {
    added.forEach(this::setGlobal);
    added.clear();
    Map<Path, ConfFile> changed = new LinkedHashMap<>();
    edits.forEach(
        (path, edit) -> {
          ConfFile after = edit.result();
          if (!Arrays.equals(config.tree().file(path).orElseThrow().bytes(), after.bytes())) {
            changed.put(path, after);
          }
        });
    return changed;
  }
}
