package org.schedgpu.jna;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where the records of a table are, and their fields. A snapshot has thousands of records: each
 * name is looked up in the layout once.
 */
final class TableLayout {
  private final String name;
  private final RegionLayout layout;
  private final Map<String, Integer> fields = new ConcurrentHashMap<>();
  private final int count;
  private final int offset;
  private final int stride;

  TableLayout(RegionLayout layout, String name) {
    this.name = name;
    this.layout = layout;
    this.count = layout.at(name + ".count");
    this.offset = layout.at(name + ".offset");
    this.stride = layout.at(name + ".stride");
  }

  /** How many records it has, used or not. */
  int count() {
    return count;
  }

  /** Where a record begins. */
  long offset(int record) {
    return offset + (long) stride * record;
  }

  /** Where a field is in a record. */
  int field(String field) {
    Integer known = fields.get(field);
    return known != null
        ? known
        : fields.computeIfAbsent(field, missing -> layout.at(name + "." + missing));
  }
}
