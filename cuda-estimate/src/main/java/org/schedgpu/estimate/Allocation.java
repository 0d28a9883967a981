package org.schedgpu.estimate;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One call that allocates device memory.
 *
 * @param line from 1
 * @param call name of the function
 * @param text as the source has it, shortened
 * @param bytes of all its executions, or why they are unknown
 */
record Allocation(String file, int line, String call, String text, Value bytes) {
  /** For JSON, in a fixed order. */
  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("file", file);
    map.put("line", line);
    map.put("call", call);
    map.put("text", text);
    map.put("bytes", bytes.isKnown() ? bytes.integer().longValue() : null);
    map.put("unknown", bytes.why());
    return map;
  }
}
