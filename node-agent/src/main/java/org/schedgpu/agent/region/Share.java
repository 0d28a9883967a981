package org.schedgpu.agent.region;

/**
 * What a job has on one device.
 *
 * @param budgetBytes 0 = none declared
 * @param reservedBytes promised to it now
 * @param inUseBytes allocated by its processes
 * @param contextBytes of its processes' CUDA contexts, at least those it has reserved
 * @param overrunBytes charged beyond those
 */
public record Share(
    long budgetBytes, long reservedBytes, long inUseBytes, long contextBytes, long overrunBytes) {
  /** Of a device that is none of the job's. */
  static final Share NOTHING = new Share(0, 0, 0, 0, 0);

  /** What it holds or reserved. */
  public long heldBytes() {
    return reservedBytes + contextBytes;
  }

  /** Bytes that other jobs cannot have because of this job: what it holds, and its overrun. */
  public long takenBytes() {
    return heldBytes() + overrunBytes;
  }
}
