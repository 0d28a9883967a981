package org.schedgpu.agent.forecast;

import java.util.OptionalLong;

/**
 * How much longer a job runs.
 *
 * @param likelyNs the time that it still needs, waits excluded, judged by earlier jobs like it
 * @param latestNs the time from now at which it is ended at the latest, waiting or not
 * @param unknown why both are unknown, as a text that continues after the job's name; "" if one is
 *     known
 */
public record ExpectedEnd(OptionalLong likelyNs, OptionalLong latestNs, String unknown) {
  /** The job needs about this much time. */
  public static ExpectedEnd likely(long ns) {
    return new ExpectedEnd(OptionalLong.of(ns), OptionalLong.empty(), "");
  }

  /** The job ends at this time at the latest. */
  public static ExpectedEnd within(long ns) {
    return new ExpectedEnd(OptionalLong.empty(), OptionalLong.of(ns), "");
  }

  /** Nobody knows. */
  public static ExpectedEnd unknown(String why) {
    return new ExpectedEnd(OptionalLong.empty(), OptionalLong.empty(), why);
  }

  /** The same, but not later than this. */
  public ExpectedEnd atMost(long ns) {
    return likelyNs.isPresent() ? likely(Math.min(likelyNs.getAsLong(), ns)) : within(ns);
  }

  boolean isUnknown() {
    return likelyNs.isEmpty() && latestNs.isEmpty();
  }
}
