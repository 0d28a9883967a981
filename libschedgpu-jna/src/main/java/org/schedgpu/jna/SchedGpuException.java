package org.schedgpu.jna;

/** A call of libschedgpu failed; the message says what went wrong and what to do. */
public final class SchedGpuException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  SchedGpuException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }
}
