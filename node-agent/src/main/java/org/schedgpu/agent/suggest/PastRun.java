package org.schedgpu.agent.suggest;

import java.util.Map;
import org.schedgpu.jna.Refusals;

/**
 * An ended job as a source of learning: only the device that it used most counts, because a budget
 * is the same for all devices.
 *
 * @param user login name
 * @param askedBytes its budget; 0 = it had none
 * @param usedBytes the most that it had in use at once
 * @param neededBytes what would have been enough, as far as is known: at least what it used
 * @param largestBytes the largest budget that one of its devices can give
 * @param refusals its refused allocations
 * @param peaks what it had in use, by device
 */
public record PastRun(
    int uid,
    String user,
    String name,
    long askedBytes,
    long usedBytes,
    long neededBytes,
    long largestBytes,
    Refusals refusals,
    Map<Integer, Long> peaks) {
  /**
   * If less than this part of the budget is left, it counts as used up, because a refused
   * allocation leaves a rest.
   */
  private static final double USED_UP = 0.95;

  /** Copies the peaks. */
  public PastRun {
    peaks = Map.copyOf(peaks);
  }

  /** What a job asked for and used on a device. */
  public record Use(long askedBytes, long usedBytes) {}

  /**
   * Refused memory is needed in addition to what was in use. Device and use at that moment are
   * unknown, so the peak is assumed.
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
      used = Math.max(used, use.usedBytes());
      largest = Math.max(largest, sizes.largestBudget(entry.getKey()));
    }
    long needed = Math.max(used, Math.min(largest, used + refusals.largestBytes()));
    Map<Integer, Long> peaks = new java.util.TreeMap<>();
    uses.forEach((device, use) -> peaks.put(device, use.usedBytes()));
    return new PastRun(uid, user, name, asked, used, needed, largest, refusals, peaks);
  }

  /**
   * True if the job may have needed more than it could get: it was refused something, or came near
   * its budget but not beyond, as jobs do that wait for more.
   */
  boolean isAtCeiling() {
    boolean full = usedBytes <= askedBytes && usedBytes >= askedBytes * USED_UP;
    return refusals.any() || (askedBytes > 0 && full);
  }
}
