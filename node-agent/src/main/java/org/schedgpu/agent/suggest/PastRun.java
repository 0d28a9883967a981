package org.schedgpu.agent.suggest;

import java.util.Map;
import org.schedgpu.jna.Refusals;

/**
 * A job that ended, as far as its next run can learn from it: of its devices the one of which it
 * used most, since a budget is the same for all.
 *
 * @param user login name
 * @param askedBytes its budget; 0 = it had none
 * @param usedBytes most that it had in use at once, one CUDA context left out
 * @param neededBytes what would have been enough, as far as is known: not less than it used
 * @param refusals what it was refused
 * @param peaks by device, contexts included, as the region counts them
 */
public record PastRun(
    int uid,
    String user,
    String name,
    long askedBytes,
    long usedBytes,
    long neededBytes,
    Refusals refusals,
    Map<Integer, Long> peaks) {
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
   * there was. What was refused is needed beside what was in use: nobody knows on which device, nor
   * how much was in use then, so it is taken for the peak.
   */
  public static PastRun of(
      int uid,
      String user,
      String name,
      Map<Integer, Use> uses,
      Refusals refusals,
      DeviceSizes sizes) {
    long asked = 0;
    long used = 0;
    long largest = 0;
    for (Map.Entry<Integer, Use> entry : uses.entrySet()) {
      Use use = entry.getValue();
      asked = Math.max(asked, use.askedBytes());
      used = Math.max(used, use.peakBytes() - sizes.context(entry.getKey()));
      largest = Math.max(largest, sizes.largestBudget(entry.getKey()));
    }
    long needed = Math.max(used, Math.min(largest, used + refusals.largestBytes()));
    Map<Integer, Long> peaks = new java.util.TreeMap<>();
    uses.forEach((device, use) -> peaks.put(device, use.peakBytes()));
    return new PastRun(uid, user, name, asked, used, needed, refusals, peaks);
  }

  /**
   * Whether it may have needed more than it could have: it was refused something, or came near its
   * budget and not beyond, as jobs do that wait for more.
   */
  boolean isAtCeiling() {
    boolean full = usedBytes <= askedBytes && usedBytes >= askedBytes * USED_UP;
    return refusals.any() || (askedBytes > 0 && full);
  }
}
