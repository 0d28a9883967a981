package org.schedgpu.gres.conf;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One partition of slurm.conf, with its nodes. Immutable. */
public final class SlurmPartition {
  private static final Set<String> NEVER_BY_DEFAULT =
      Set.of("disablerootjobs", "exclusiveuser", "selecttypeparameters", "suspendtime");

  private final String name;
  private final List<SlurmNode> nodes;
  private final ConfLine line;
  private final DefaultLines.Settings settings;

  SlurmPartition(
      String name, List<SlurmNode> nodes, ConfLine line, DefaultLines.Settings settings) {
    this.name = name;
    this.nodes = List.copyOf(nodes);
    this.line = line;
    this.settings = settings;
  }

  public String name() {
    return name;
  }

  /** In the order in which slurm.conf defines the nodes, each once. */
  public List<SlurmNode> nodes() {
    return nodes;
  }

  /** The line that defines it. */
  public ConfLine line() {
    return line;
  }

  /** A key of the line or of a DEFAULT line; some keys Slurm 22.05 takes of the line only. */
  public Optional<Setting> setting(String key) {
    return NEVER_BY_DEFAULT.contains(key.toLowerCase(java.util.Locale.ROOT))
        ? settings.own(key)
        : settings.get(key);
  }
}
