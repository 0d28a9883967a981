package org.schedgpu.demo;

/** The demo cannot continue: what is wrong and what to do. */
public final class DemoException extends RuntimeException {
  private static final long serialVersionUID = 1;

  DemoException(String message) {
    super("demo: " + message);
  }

  DemoException(String message, Throwable cause) {
    super("demo: " + message, cause);
  }
}
