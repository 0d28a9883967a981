package org.schedgpu.agent.forecast;

import java.util.OptionalLong;

/**
 * How long a job goes on.
 *
 * @param likelyNs time that it still needs beside waiting, by what is known of jobs like it
 * @param latestNs from now, when it is ended at the latest, whether it waits or not
 * @param unknown why neither is known, in words that go on after the job's name; "" if one is
 */
public record ExpectedEnd(OptionalLong likelyNs, OptionalLong latestNs, String unknown) {
  /** It needs about so long. */
  public static ExpectedEnd likely(long ns) {
    return new ExpectedEnd(OptionalLong.of(ns), OptionalLong.empty(), "");
  }

  /** It is ended at the latest then. */
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
