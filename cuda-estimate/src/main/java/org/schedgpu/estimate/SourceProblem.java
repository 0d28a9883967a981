package org.schedgpu.estimate;

/** A source that cannot be read or parsed; the message is one line for the user. */
public final class SourceProblem extends RuntimeException {
  private static final long serialVersionUID = 1;

  SourceProblem(String message) {
    super(message);
  }

  SourceProblem(String message, Throwable cause) {
    super(message, cause);
  }
}
