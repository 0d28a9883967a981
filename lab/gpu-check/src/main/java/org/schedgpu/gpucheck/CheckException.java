package org.schedgpu.gpucheck;

/** A check cannot go on; the message says why, in one line. */
class CheckException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CheckException(String message) {
    super(message);
  }

  CheckException(String message, Throwable cause) {
    super(message + ": " + cause.getMessage(), cause);
  }
}
