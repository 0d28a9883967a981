package org.schedgpu.model;

/** When a job reserves memory; numbers as in enum schedgpu_mode. */
public enum Mode {
  /** Its whole budget at its first allocation. */
  PEAK(1),
  /** Each allocation as it comes. */
  ONDEMAND(2),
  /** Its whole budget before its first task starts. */
  GATE(3);

  private final int code;

  Mode(int code) {
    this.code = code;
  }

  /** The number in C. */
  public int code() {
    return code;
  }
}
