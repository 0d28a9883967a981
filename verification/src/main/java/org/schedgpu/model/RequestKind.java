package org.schedgpu.model;

/** What a process asks for; numbers as in enum schedgpu_core_kind. */
public enum RequestKind {
  /** Bytes. */
  MEMORY(0),
  /** A context of the device's context bytes. */
  CONTEXT(1),
  /** The job's budget alone, mode {@link Mode#GATE}. */
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
