package org.schedgpu.model;

/** When a job reserves memory; numbers as in enum schedgpu_mode. */
public enum Mode {
  /** The whole budget at the first allocation. */
  PEAK(1),
  /** Each allocation by itself. */
  ONDEMAND(2),
  /** The whole budget before the first task starts. */
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
