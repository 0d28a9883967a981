package org.schedgpu.gres.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.schedgpu.gres.conf.ConfEdit;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;

/** Changes to slurm.conf and its includes, collected. Not safe for use by several threads. */
public final class SiteEdits {
  private final SlurmConfig config;
  private final Map<Path, ConfEdit> edits = new LinkedHashMap<>();
  private final Map<String, String> added = new LinkedHashMap<>();
  private final Set<String> touched = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
  private final List<String> warnings = new ArrayList<>();

  /** Of what was read. */
  public SiteEdits(SlurmConfig config) {
    this.config = config;
  }

  /** As the files are now. */
  public SlurmConfig config() {
    return config;
  }

  ConfEdit edit(ConfLine line) {
    Path path = line.place().file();
    return edits.computeIfAbsent(path, p -> config.tree().file(p).orElseThrow().edit());
  }

  /** A key for the cluster, which keeps its place or becomes the second line. */
  void setGlobal(String key, String value) {
    Optional<Setting> now = config.setting(key);
    if (now.isPresent()) {
      edit(now.get().line()).set(now.get().line(), now.get().key(), value);
    } else {
      ConfLine line = config.tree().lines().get(0);
      edit(line).insertAfter(line, key + "=" + value);
    }
    touched.add(key);
  }

  /** Adds a word to a list such as GresTypes=; nothing happens if it is there. */
  void addGlobal(String key, String word) {
    String now = added.getOrDefault(key, config.setting(key).map(Setting::value).orElse(""));
    List<String> words = Arrays.stream(now.split(",", -1)).map(String::strip).toList();
    if (words.stream().noneMatch(word::equalsIgnoreCase)) {
      added.put(key, now.isBlank() ? word : now + "," + word);
    }
  }

  void warn(String warning) {
    warnings.add(warning);
  }

  List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** The keys for the cluster that were set. */
  Set<String> touched() {
    return touched;
  }

  /** The files that are not what they were, by their path; all changes are collected by now. */
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
