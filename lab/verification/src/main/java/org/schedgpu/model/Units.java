package org.schedgpu.model;

/** The core counts sizes in units of 512 bytes. */
public final class Units {
  /** Bytes of a unit. */
  public static final long UNIT_BYTES = 512;

  /** The largest size that a process can ask for. */
  static final long MAX_BYTES = 0xFFFF_FFFFL * UNIT_BYTES;

  private Units() {}

  /** A device offers whole units only. */
  static long roundDown(long bytes) {
    return bytes / UNIT_BYTES * UNIT_BYTES;
  }

  /** {@code bytes}, 0 or more, rounded up to whole units. */
  static long roundUp(long bytes) {
    return (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
  }
}
