package org.schedgpu.gres.conf;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

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

  /** The nodes in the order in which slurm.conf defines them, each once. */
  public List<SlurmNode> nodes() {
    return nodes;
  }

  /** The line that defines it. */
  public ConfLine line() {
    return line;
  }

  /**
   * All keys except the partition's name, with the values of {@link #setting}; case does not
   * matter.
   */
  public NavigableMap<String, String> values() {
    NavigableMap<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (Map<String, Setting> known : List.of(settings.defaults(), settings.own())) {
      known.keySet().forEach(key -> setting(key).ifPresent(s -> values.put(key, s.value())));
    }
    return values;
  }

  /**
   * The value of a key, of the line or of a DEFAULT line. Slurm 22.05 takes some keys only from the
   * line itself.
   */
  public Optional<Setting> setting(String key) {
    return NEVER_BY_DEFAULT.contains(key.toLowerCase(java.util.Locale.ROOT))
        ? settings.own(key)
        : settings.get(key);
  }
}
