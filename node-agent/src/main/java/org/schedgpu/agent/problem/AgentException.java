package org.schedgpu.agent.problem;

import java.util.List;

/** A failure of a command: one line for each problem, each with what to do. */
public class AgentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one line for each problem
   */
  public AgentException(String message) {
    super(message);
  }

  /**
   * @param message one line for each problem
   */
  public AgentException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Several problems reported together. */
  public static AgentException of(List<String> problems) {
    return new AgentException(String.join("\n", problems));
  }
}
