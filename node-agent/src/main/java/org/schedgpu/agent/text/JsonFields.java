package org.schedgpu.agent.text;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The fields of a JSON object that this program wrote: of an answer of the agent, say. */
public record JsonFields(Map<String, Object> values) {
  /** A text; "" if there is none. */
  public String text(String name) {
    Object value = values.get(name);
    return value == null ? "" : value.toString();
  }

  /** A number; 0 if there is none. */
  public long number(String name) {
    return optional(name).orElse(0);
  }

  /** A number, unless it is null. */
  public OptionalLong optional(String name) {
    return values.get(name) instanceof Number number
        ? OptionalLong.of(number.longValue())
        : OptionalLong.empty();
  }

  /** The objects of a list. */
  @SuppressWarnings("unchecked") // JSON objects become maps with texts as keys
  public List<JsonFields> list(String name) {
    return values.get(name) instanceof List<?> list
        ? list.stream().map(entry -> new JsonFields((Map<String, Object>) entry)).toList()
        : List.of();
  }
}
