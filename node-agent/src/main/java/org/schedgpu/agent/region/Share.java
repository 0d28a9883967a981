package org.schedgpu.agent.region;

/**
 * What a job has on one device.
 *
 * @param budgetBytes 0 = none declared
 * @param reservedBytes reserved for it now
 * @param inUseBytes allocated by its processes
 * @param contextBytes of its processes' CUDA contexts, at least the reserved ones
 * @param overrunBytes charged beyond that
 */
public record Share(
    long budgetBytes, long reservedBytes, long inUseBytes, long contextBytes, long overrunBytes) {
  /** For a device that the job does not have. */
  static final Share NOTHING = new Share(0, 0, 0, 0, 0);

  /** What the job holds or reserved. */
  public long heldBytes() {
    return reservedBytes + contextBytes;
  }

  /** Bytes that other jobs cannot have because of this job: what it holds, and its overrun. */
  public long takenBytes() {
    return heldBytes() + overrunBytes;
  }
}
