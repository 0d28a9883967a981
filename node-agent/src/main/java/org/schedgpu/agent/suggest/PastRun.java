package org.schedgpu.agent.suggest;

import java.util.Map;

/**
 * A job that ended, as far as its next run can learn from it: of its devices the one of which it
 * used most, since a budget is the same for all.
 *
 * @param user login name
 * @param askedBytes its budget; 0 = it had none
 * @param usedBytes most that it had in use at once, one CUDA context left out
 * @param peaks by device, contexts included, as the region counts them
 */
public record PastRun(
    int uid, String user, String name, long askedBytes, long usedBytes, Map<Integer, Long> peaks) {
  /** Below it a budget counts as used up: an allocation that was refused leaves a rest. */
  private static final double USED_UP = 0.95;

  /** Copies the peaks. */
  public PastRun {
    peaks = Map.copyOf(peaks);
  }

  /** What a job asked for and used on a device. */
  public record Use(long askedBytes, long peakBytes) {}

  /**
   * A budget does not count CUDA contexts, and a peak does. How many there were is not known; one
   * there was.
   *
   * @param contextBytes of one process, by device
   */
  public static PastRun of(
      int uid, String user, String name, Map<Integer, Use> uses, Map<Integer, Long> contextBytes) {
    long asked = 0;
    long used = 0;
    for (Map.Entry<Integer, Use> entry : uses.entrySet()) {
      Use use = entry.getValue();
      long context = contextBytes.getOrDefault(entry.getKey(), 0L);
      asked = Math.max(asked, use.askedBytes());
      used = Math.max(used, use.peakBytes() - context);
    }
    Map<Integer, Long> peaks = new java.util.TreeMap<>();
    uses.forEach((device, use) -> peaks.put(device, use.peakBytes()));
    return new PastRun(uid, user, name, asked, used, peaks);
  }

  /**
   * Whether it may have needed more than it could have: it came near its budget and not beyond, as
   * jobs do that wait for more.
   */
  boolean isAtCeiling() {
    return askedBytes > 0 && usedBytes <= askedBytes && usedBytes >= askedBytes * USED_UP;
  }
}
