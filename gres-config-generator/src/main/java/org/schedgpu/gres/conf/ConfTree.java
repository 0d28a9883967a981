package org.schedgpu.gres.conf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A file and everything that it includes, as one sequence of lines in the order in which Slurm
 * reads them.
 */
public final class ConfTree {
  private final Map<Path, ConfFile> files = new LinkedHashMap<>();
  private final List<ConfLine> lines = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final List<String> stops = new ArrayList<>();

  ConfTree() {}

  /**
   * Reads a file and its includes.
   *
   * @throws org.schedgpu.gres.common.GresException if a file cannot be read, or Slurm would reject
   *     a line
   */
  public static ConfTree read(Path root, ConfKind kind) {
    return read(root, kind, Map.of());
  }

  /**
   * As above, with the content of some files taken from memory instead of the disk.
   *
   * @param instead content of those files, by path
   */
  public static ConfTree read(Path root, ConfKind kind, Map<Path, ConfFile> instead) {
    return new ConfTreeReader(kind, instead).read(root.toAbsolutePath().normalize());
  }

  /** The files in the order of their first appearance, the root first. */
  public List<ConfFile> files() {
    return List.copyOf(files.values());
  }

  /** The file of a line. */
  public Optional<ConfFile> file(Path path) {
    return Optional.ofNullable(files.get(path));
  }

  /** The lines with pairs. Lines of a file that is included twice appear twice. */
  public List<ConfLine> lines() {
    return List.copyOf(lines);
  }

  /**
   * Warnings about lines that Slurm accepts but that probably mean something else than intended.
   */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  void add(ConfFile file) {
    files.put(file.path(), file);
  }

  void add(ConfLine line) {
    lines.add(line);
  }

  /** The warnings about lines that make slurmd and slurmctld exit. */
  public List<String> stops() {
    return List.copyOf(stops);
  }

  void warnOfEnd(String warning) {
    warn(warning);
    stops.add(warning);
  }

  void warn(String warning) {
    if (!warnings.contains(warning)) {
      warnings.add(warning);
    }
  }
}
