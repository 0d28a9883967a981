package org.schedgpu.model;

/** What a process asks for; numbers as in enum schedgpu_core_kind. */
public enum RequestKind {
  /** Bytes. */
  MEMORY(0),
  /** A context, whose size is configured for the device. */
  CONTEXT(1),
  /** Mode {@link Mode#GATE}: the job's budget alone. */
  GATE(2);

  private final int code;

  RequestKind(int code) {
    this.code = code;
  }

  /** The number in C. */
  public int code() {
    return code;
  }
}
