package org.schedgpu.agent;

import java.util.List;

/** What a command cannot do: one line for each problem, each with what to do. */
public final class AgentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** One problem. */
  public AgentException(String message) {
    super(message);
  }

  AgentException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Several problems reported together. */
  static AgentException of(List<String> problems) {
    return new AgentException(String.join("\n", problems));
  }
}
