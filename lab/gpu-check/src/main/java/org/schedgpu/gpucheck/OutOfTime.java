package org.schedgpu.gpucheck;

/** A check was not done because its time was over: that is no failure. */
final class OutOfTime extends CheckException {
  private static final long serialVersionUID = 1L;

  OutOfTime(String message) {
    super(message);
  }
}
