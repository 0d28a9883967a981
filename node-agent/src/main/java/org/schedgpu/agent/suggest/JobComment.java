package org.schedgpu.agent.suggest;

import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Refusals;

/** What a field of Slurm's job says of its memory. */
public final class JobComment {
  /** By which our own text is known. */
  static final String PREFIX = "schedgpu: ";

  private JobComment() {}

  /**
   * Such as {@code schedgpu: peak 2.1 GiB of 6.0 GiB, waited 12 s, device 0}; empty if nothing was
   * used or refused. The numbers are of the device of which most was used.
   *
   * @param budgetBytes by device; 0: none
   * @param peakBytes by device, CUDA contexts included
   * @param refusals after which more could have been used than the peak
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

  /** Whether a text may be replaced: nobody but us wrote it. */
  static boolean isOurs(String text) {
    return text.isBlank() || text.startsWith(PREFIX);
  }
}
