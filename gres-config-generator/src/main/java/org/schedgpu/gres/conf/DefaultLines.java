package org.schedgpu.gres.conf;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What {@code NodeName=DEFAULT} lines (or PartitionName=) above a line say. A later one replaces
 * the keys that it has and leaves the others.
 */
final class DefaultLines {
  private Map<String, Setting> settings = Map.of();

  static boolean isDefault(ConfLine line) {
    return line.pairs().get(0).value().equalsIgnoreCase("DEFAULT");
  }

  /** Takes one more. */
  void add(ConfLine line) {
    Map<String, Setting> merged = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    merged.putAll(settings);
    merged.putAll(of(line));
    settings = merged;
  }

  /** A line's own keys with what holds for it until here. */
  Settings with(ConfLine line) {
    return new Settings(of(line), settings);
  }

  /** Without the first key, which names what the line is of; of a key that is twice the last. */
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
