package org.schedgpu.bench;

/** The bench cannot continue; the message says why and what to do. */
final class BenchException extends RuntimeException {
  private static final long serialVersionUID = 1;

  BenchException(String message) {
    super(message);
  }

  BenchException(String message, Throwable cause) {
    super(message, cause);
  }
}
