package org.schedgpu.agent.text;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The fields of a JSON object that this program wrote, such as an answer of the agent. */
public record JsonFields(Map<String, Object> values) {
  /** A text; "" if absent. */
  public String text(String name) {
    Object value = values.get(name);
    return value == null ? "" : value.toString();
  }

  /** A number; 0 if absent. */
  public long number(String name) {
    return optional(name).orElse(0);
  }

  /** A number, unless it is null. */
  public OptionalLong optional(String name) {
    return values.get(name) instanceof Number number
        ? OptionalLong.of(number.longValue())
        : OptionalLong.empty();
  }

  /** An object; empty if absent. */
  @SuppressWarnings("unchecked") // as in list()
  public Optional<JsonFields> object(String name) {
    return values.get(name) instanceof Map<?, ?> map
        ? Optional.of(new JsonFields((Map<String, Object>) map))
        : Optional.empty();
  }

  /** The objects of a list. */
  @SuppressWarnings("unchecked") // JSON objects become maps with texts as keys
  public List<JsonFields> list(String name) {
    return values.get(name) instanceof List<?> list
        ? list.stream().map(entry -> new JsonFields((Map<String, Object>) entry)).toList()
        : List.of();
  }
}
