package org.schedgpu.model;

/** What is done about jobs that hold memory and ask for more; numbers as in C. */
public enum DeadlockRule {
  /** A wait that could never end is refused when it would begin. */
  DETECT(0),
  /** And jobs with a declared budget get more only while all of them could still finish. */
  AVOID(1);

  private final int code;

  DeadlockRule(int code) {
    this.code = code;
  }

  /** The number in C. */
  public int code() {
    return code;
  }
}
