package org.schedgpu.jna;

/**
 * Allocations that a job's programs were refused, as they were more than was left of its budget, or
 * than the device can ever give.
 *
 * @param count how many
 * @param largestBytes of the largest; at most what a device has
 */
public record Refusals(long count, long largestBytes) {
  /** Of a job that got all it asked for. */
  public static final Refusals NONE = new Refusals(0, 0);

  /**
   * True if requests were refused. Then the job's peak shows only what it could get, and not what
   * it needed.
   */
  public boolean any() {
    return count > 0;
  }

  /** These and others: the counts together, and the largest of all. */
  public Refusals and(Refusals others) {
    return new Refusals(count + others.count, Math.max(largestBytes, others.largestBytes));
  }
}
