package org.schedgpu.simulator.problem;

/** An input cannot be played; the message says what is wrong and what to do. */
public final class SimulatorException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param problem what is wrong, with the value
   * @param action what to do about it
   */
  public SimulatorException(String problem, String action) {
    super("schedgpu: simulate: " + problem + ": " + action);
  }
}
