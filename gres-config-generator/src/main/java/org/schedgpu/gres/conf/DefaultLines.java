package org.schedgpu.gres.conf;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Collects the defaults of {@code NodeName=DEFAULT} (or PartitionName=) lines. A later line
 * replaces the keys that it has and leaves the others.
 */
final class DefaultLines {
  private Map<String, Setting> settings = Map.of();

  static boolean isDefault(ConfLine line) {
    return line.pairs().get(0).value().equalsIgnoreCase("DEFAULT");
  }

  /** Adds a DEFAULT line. */
  void add(ConfLine line) {
    Map<String, Setting> merged = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    merged.putAll(settings);
    merged.putAll(of(line));
    settings = merged;
  }

  /** The keys of a line, with the defaults that are in effect at that line. */
  Settings with(ConfLine line) {
    return new Settings(of(line), settings);
  }

  /**
   * The keys of a line without the first, which names the node or partition. The last of repeated
   * keys counts.
   */
  private static Map<String, Setting> of(ConfLine line) {
    Map<String, Setting> own = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    line.pairs().stream()
        .skip(1)
        .forEach(pair -> own.put(pair.key(), new Setting(pair.key(), pair.value(), line)));
    return own;
  }

  /** The keys of one line, and those of the DEFAULT lines above it. */
  record Settings(Map<String, Setting> own, Map<String, Setting> defaults) {
    /** The line's own value, else that of a DEFAULT line. */
    Optional<Setting> get(String key) {
      return own(key).or(() -> inherited(key));
    }

    Optional<Setting> own(String key) {
      return Optional.ofNullable(own.get(key));
    }

    Optional<Setting> inherited(String key) {
      return Optional.ofNullable(defaults.get(key));
    }
  }
}
