package org.schedgpu.agent.history;

import java.util.OptionalLong;
import org.schedgpu.agent.text.Texts;

/**
 * What programs of a job used of the devices without being attached to the region.
 *
 * @param processes how many of them were seen, 1 or more; of each step the first 32 count
 * @param largestBytes the most that a look showed of them together; empty: NVML does not report it
 */
public record Unscheduled(int processes, OptionalLong largestBytes) {
  /** {@code up to 716 MiB}, or that it is not known. */
  public static String amount(OptionalLong largestBytes) {
    return largestBytes.isPresent()
        ? "up to " + Texts.size(largestBytes.getAsLong())
        : "an unknown amount";
  }

  Unscheduled and(Unscheduled later) {
    boolean more = later.largestBytes.orElse(-1) > largestBytes.orElse(-1);
    return new Unscheduled(
        Math.max(processes, later.processes), more ? later.largestBytes : largestBytes);
  }
}
