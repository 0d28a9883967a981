package org.schedgpu.jna;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Offsets of the fields of the region and of the admin API's structures, by the names that
 * libschedgpu exports. Java contains no number of the layout.
 */
public final class RegionLayout {
  private final SortedMap<String, Long> values;

  /**
   * The same by table and field, because reading a full node looks up fields a hundred thousand
   * times.
   */
  private final Map<String, Map<String, Integer>> tables = new HashMap<>();

  private RegionLayout(SortedMap<String, Long> values) {
    this.values = values;
    values.forEach(
        (name, value) -> {
          int dot = name.indexOf('.');
          if (dot > 0 && value >= 0 && value <= Integer.MAX_VALUE) {
            String field = name.substring(dot + 1).intern(); // keyed by the names that callers use
            tables
                .computeIfAbsent(name.substring(0, dot), table -> new HashMap<>())
                .put(field, value.intValue());
          }
        });
  }

  /** The layout of the loaded library, read once. */
  public static RegionLayout ofLibrary() {
    return Holder.LAYOUT;
  }

  /** A layout given as a table, as in tests. */
  public static RegionLayout of(Map<String, Long> values) {
    return new RegionLayout(new TreeMap<>(values));
  }

  /** Offset, size or count of a named part. */
  public int at(String name) {
    Long value = values.get(name);
    if (value == null || value < 0 || value > Integer.MAX_VALUE) {
      throw new IllegalStateException(
          "libschedgpu: its layout has no usable \""
              + name
              + "\": install libschedgpu and schedgpu of one version");
    }
    return value.intValue();
  }

  /** The same for a field of a table. */
  int at(String table, String field) {
    Integer value = fields(table).get(field);
    return value != null ? value : at(table + "." + field);
  }

  /** The fields of a table; empty for an unknown table. */
  Map<String, Integer> fields(String table) {
    return tables.getOrDefault(table, Map.of());
  }

  /** Every name with its value, sorted by name. */
  public SortedMap<String, Long> values() {
    return Collections.unmodifiableSortedMap(values);
  }

  /** One {@code name = value} line for each name, sorted: the golden file of the layout. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    values.forEach((name, value) -> lines.add(name + " = " + value));
    return lines;
  }

  private static final class Holder {
    static final RegionLayout LAYOUT = read();

    private static RegionLayout read() {
      CLibrary.load();
      SortedMap<String, Long> values = new TreeMap<>();
      String name = CApi.schedgpu_layout_name(0);
      for (int i = 1; name != null; i++) {
        values.put(name, CApi.schedgpu_layout_find(name));
        name = CApi.schedgpu_layout_name(i);
      }
      return new RegionLayout(values);
    }
  }
}
