package org.schedgpu.model;

/** How the jobs of a lane take turns; numbers as in enum schedgpu_lane_policy. */
public enum LanePolicy {
  /** The oldest request; no switching beyond need. */
  PACK(1),
  /** The shortest remaining time. */
  SRTF(2),
  /** The least service per share. */
  FAIR(3),
  /** The job that joined the lane first. */
  FIFO(4),
  /** The least service per share; the members take turns with the device itself. */
  SHARE(5);

  private final int code;

  LanePolicy(int code) {
    this.code = code;
  }

  /** The number in C. */
  public int code() {
    return code;
  }
}
