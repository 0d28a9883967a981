package org.schedgpu.gres.conf;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The keys that Slurm 22.05 knows in a file, from a resource {@code NAME.keys}. Immutable. */
final class KnownKeys {
  private static final String TOP = "*";
  private static final Map<ConfKind, KnownKeys> ALL = new EnumMap<>(ConfKind.class);

  static {
    for (ConfKind kind : ConfKind.values()) {
      ALL.put(kind, new KnownKeys(text(kind.fileName() + ".keys")));
    }
  }

  private final Map<String, Map<String, ValueType>> keysByFirstKey =
      new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  private KnownKeys(String text) {
    Map<String, ValueType> keys = Map.of();
    for (String line : text.lines().filter(l -> !l.startsWith("#")).toList()) {
      if (line.startsWith("[")) {
        keys = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        keysByFirstKey.put(line.substring(1, line.length() - 1), keys);
      } else {
        addAll(line, keys);
      }
    }
  }

  private static void addAll(String line, Map<String, ValueType> keys) {
    for (String word : line.split(" ", -1)) {
      int colon = word.indexOf(':');
      String type = colon < 0 ? "string" : word.substring(colon + 1);
      keys.put(
          colon < 0 ? word : word.substring(0, colon),
          ValueType.valueOf(type.toUpperCase(Locale.ROOT)));
    }
  }

  static KnownKeys of(ConfKind kind) {
    return ALL.get(kind);
  }

  /** Whether a line may begin with this key. */
  boolean canBegin(String key) {
    return keysByFirstKey.get(TOP).containsKey(key) || takesMore(key);
  }

  /** True if other keys may follow this one on its line; after any other key Slurm rejects them. */
  boolean takesMore(String key) {
    return !key.equals(TOP) && keysByFirstKey.containsKey(key);
  }

  /** Whether a key may stand on a line that begins with another. */
  boolean canFollow(String firstKey, String key) {
    return keysByFirstKey.getOrDefault(firstKey, Map.of()).containsKey(key);
  }

  /** The type of a key's value; an unknown key takes any value. */
  ValueType type(String firstKey, String key) {
    Map<String, ValueType> keys = keysByFirstKey.get(takesMore(firstKey) ? firstKey : TOP);
    return keys.getOrDefault(key, ValueType.STRING);
  }

  private static String text(String resource) {
    try (InputStream stream = KnownKeys.class.getResourceAsStream(resource)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
