package org.schedgpu.gres.live;

import java.util.Map;
import java.util.TreeMap;

/** Parses {@code scontrol show config}: lines of {@code Key = value}. */
final class ConfigRecord {
  private ConfigRecord() {}

  /** The values by key, in any case; of a repeated key the first. */
  static Map<String, String> parse(String output) {
    Map<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : output.lines().toList()) {
      int equals = line.indexOf(" = ");
      if (equals > 0) {
        values.putIfAbsent(line.substring(0, equals).strip(), line.substring(equals + 3).strip());
      }
    }
    return values;
  }
}
