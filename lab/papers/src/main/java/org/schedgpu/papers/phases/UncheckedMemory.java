package org.schedgpu.papers.phases;

/** A device without schedGPU: the driver refuses what does not fit, and nobody waits. */
public final class UncheckedMemory implements DeviceMemory {
  private final long totalBytes;
  private final long contextBytes;
  private final long[] heldBytes;
  private long freeBytes;

  /**
   * @param jobs how many there are
   */
  public UncheckedMemory(long totalBytes, long contextBytes, int jobs) {
    this.totalBytes = totalBytes;
    this.contextBytes = contextBytes;
    this.freeBytes = totalBytes;
    this.heldBytes = new long[jobs];
  }

  @Override
  public long totalBytes() {
    return totalBytes;
  }

  @Override
  public long contextBytes() {
    return contextBytes;
  }

  @Override
  public void begin(int job, PhasedJob of, long nowNs) {
    heldBytes[job] = 0;
  }

  @Override
  public Answer context(int job, long nowNs) {
    return allocate(job, contextBytes, nowNs);
  }

  @Override
  public Answer allocate(int job, long bytes, long nowNs) {
    if (bytes > freeBytes) {
      return Answer.OUT_OF_MEMORY;
    }
    freeBytes -= bytes;
    heldBytes[job] += bytes;
    return Answer.OK;
  }

  @Override
  public void free(int job, long bytes, long nowNs) {
    freeBytes += bytes;
    heldBytes[job] -= bytes;
  }

  @Override
  public void end(int job, long nowNs) {
    free(job, heldBytes[job], nowNs);
  }

  @Override
  public int nextGranted(long nowNs) {
    return -1;
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
