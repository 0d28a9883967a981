package org.schedgpu.agent.suggest;

import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Refusals;

/** The text about memory in a field of Slurm's job. */
public final class JobComment {
  /** The prefix by which the agent recognises its own text. */
  public static final String PREFIX = "schedgpu: ";

  private JobComment() {}

  /**
   * Such as {@code schedgpu: peak 2.1 GiB of 6.0 GiB, waited 12 s, device 0}; empty if nothing was
   * used or refused. The numbers are those of the most used device.
   *
   * @param budgetBytes by device; 0: none
   * @param peakBytes what was in use, by device
   * @param refusals if there are any, the job could have used more than its peak
   */
  public static String of(
      Map<Integer, Long> budgetBytes,
      Map<Integer, Long> peakBytes,
      long waitedNs,
      Refusals refusals) {
    Integer most = null;
    for (Map.Entry<Integer, Long> peak : peakBytes.entrySet()) {
      if (most == null || peak.getValue() > peakBytes.get(most)) {
        most = peak.getKey();
      }
    }
    if (most == null || (peakBytes.get(most) <= 0 && !refusals.any())) {
      return "";
    }
    long budget = budgetBytes.getOrDefault(most, 0L);
    long waited = TimeUnit.NANOSECONDS.toSeconds(waitedNs);
    return PREFIX
        + "peak "
        + Texts.size(peakBytes.get(most))
        + (budget > 0 ? " of " + Texts.size(budget) : "")
        + (refusals.any() ? ", " + text(refusals) : "")
        + (waited > 0 ? ", waited " + waited + " s" : "")
        + (peakBytes.size() > 1 ? ", devices " : ", device ")
        + new TreeSet<>(peakBytes.keySet())
            .stream().map(Object::toString).collect(Collectors.joining(","));
  }

  private static String text(Refusals refusals) {
    return Texts.count(refusals.count(), "allocation", "allocations")
        + " refused, up to "
        + Texts.size(refusals.largestBytes());
  }

  /** True if the agent may replace a text, because it wrote that text itself. */
  static boolean isOurs(String text) {
    return text.isBlank() || text.startsWith(PREFIX);
  }
}
