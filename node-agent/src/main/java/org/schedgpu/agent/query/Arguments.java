package org.schedgpu.agent.query;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.problem.AgentException;

/** The arguments of a request, which may be anything. Wrong values are refused. */
public final class Arguments {
  private final Map<String, Object> arguments;

  public Arguments(Map<String, Object> arguments) {
    this.arguments = arguments;
  }

  /** A whole number; empty if absent. */
  public OptionalLong number(String name) {
    Object value = arguments.get(name);
    if (value == null) {
      return OptionalLong.empty();
    }
    if (value instanceof Long || value instanceof Integer) {
      return OptionalLong.of(((Number) value).longValue());
    }
    throw wrong(name, value, "a whole number");
  }

  /** A whole number from least to most, or the default if absent. */
  public long number(String name, long fallback, long least, long most) {
    long value = number(name).orElse(fallback);
    if (value < least || value > most) {
      throw wrong(name, value, "a number of " + least + " to " + most);
    }
    return value;
  }

  /** A text; empty if absent. */
  public Optional<String> text(String name) {
    Object value = arguments.get(name);
    if (value == null) {
      return Optional.empty();
    }
    if (value instanceof String text) {
      return Optional.of(text);
    }
    throw wrong(name, value, "a text");
  }

  /** True if present and true. */
  public boolean flag(String name) {
    Object value = arguments.get(name);
    if (value == null || value instanceof Boolean) {
      return Boolean.TRUE.equals(value);
    }
    throw wrong(name, value, "true or false");
  }

  private static AgentException wrong(String name, Object value, String wanted) {
    return new AgentException("the argument " + name + "=" + value + ": must be " + wanted);
  }
}
