package org.schedgpu.model;

/** What happens when a job that holds memory asks for more; numbers as in C. */
public enum DeadlockRule {
  /** The core refuses a wait that could never end. */
  DETECT(0),
  /** In addition, jobs with a declared budget get more only if all of them can still finish. */
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
