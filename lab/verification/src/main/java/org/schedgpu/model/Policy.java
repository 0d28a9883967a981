package org.schedgpu.model;

/**
 * The policy that chooses the next waiter (docs/explanation/policies.md); numbers as in enum
 * schedgpu_policy.
 */
public enum Policy {
  FIFO(0),
  MMU(1),
  PRIORITY_FIFO(2),
  PRIORITY_MMU(3),
  HPFW(4),
  SM_HPFW(5),
  RBDM(6),
  RBDM_HPFW(7),
  RBDM_SM_HPFW(8);

  private final int code;

  Policy(int code) {
    this.code = code;
  }

  /** The number in C. */
  public int code() {
    return code;
  }
}
