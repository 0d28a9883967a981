package org.schedgpu.jna;

/**
 * Refused allocations of a job: they exceeded the rest of its budget, or what the device can ever
 * give.
 *
 * @param count how many
 * @param largestBytes size of the largest; at most the size of a device
 */
public record Refusals(long count, long largestBytes) {
  /** A job without refusals. */
  public static final Refusals NONE = new Refusals(0, 0);

  /**
   * True if there were refusals. Then the job's peak shows only what it could get, not what it
   * needed.
   */
  public boolean any() {
    return count > 0;
  }

  /** Both together: the sum of the counts, and the larger size. */
  public Refusals and(Refusals others) {
    return new Refusals(count + others.count, Math.max(largestBytes, others.largestBytes));
  }
}
