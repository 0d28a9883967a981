package org.schedgpu.gres.conf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A file and all that it includes, as one sequence of lines in the order Slurm reads them. */
public final class ConfTree {
  private final Map<Path, ConfFile> files = new LinkedHashMap<>();
  private final List<ConfLine> lines = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final List<String> stops = new ArrayList<>();

  ConfTree() {}

  /**
   * Reads a file and its includes.
   *
   * @throws org.schedgpu.gres.common.GresException if one cannot be read, or Slurm would refuse a
   *     line
   */
  public static ConfTree read(Path root, ConfKind kind) {
    return read(root, kind, Map.of());
  }

  /**
   * As above, some files as they are in memory instead of on the disk.
   *
   * @param instead by path
   */
  public static ConfTree read(Path root, ConfKind kind, Map<Path, ConfFile> instead) {
    return new ConfTreeReader(kind, instead).read(root.toAbsolutePath().normalize());
  }

  /** The files in the order in which they are met first, the root first. */
  public List<ConfFile> files() {
    return List.copyOf(files.values());
  }

  /** The file of a line. */
  public Optional<ConfFile> file(Path path) {
    return Optional.ofNullable(files.get(path));
  }

  /** The lines with pairs; those of a file included twice are there twice. */
  public List<ConfLine> lines() {
    return List.copyOf(lines);
  }

  /** What Slurm takes, but perhaps not as it was meant. */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  void add(ConfFile file) {
    files.put(file.path(), file);
  }

  void add(ConfLine line) {
    lines.add(line);
  }

  /** Those of {@link #warnings} at which slurmd and slurmctld end. */
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
