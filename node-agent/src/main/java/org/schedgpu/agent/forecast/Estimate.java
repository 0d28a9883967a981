package org.schedgpu.agent.forecast;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * When a request will be served, from now, if running jobs end as expected.
 *
 * @param earliestNs if every job without an expected end ended at once; empty if the request is not
 *     served even then
 * @param latestNs if these jobs never ended; empty if the request is not served then
 * @param unknown the jobs that block this request and have no expected end, each with the reason
 * @param givesUpNs when the request stops waiting, unless it is served before
 */
public record Estimate(
    OptionalLong earliestNs,
    OptionalLong latestNs,
    Optional<String> unknown,
    OptionalLong givesUpNs) {
  private static final long LEAST_NS = TimeUnit.SECONDS.toNanos(5);
  private static final String SOON = "in seconds";

  /** No estimate is possible. */
  public static final Estimate NONE =
      new Estimate(
          OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), OptionalLong.empty());

  /** {@code ~4 min}, {@code at most 2 h}, {@code >= 12 min}, {@code unknown: slurm:12 ...}. */
  public String text() {
    return givesUpNs.isEmpty() ? served() : served() + ", " + givesUp();
  }

  /** Without the jobs that block it. */
  public String shortText() {
    return served().replaceFirst(":.*", "");
  }

  /** The jobs that block it, and when the request gives up; "" if there is nothing to say. */
  private String remark() {
    String gives = givesUpNs.isEmpty() ? "" : givesUp();
    String who = unknown.orElse("");
    return who + (who.isEmpty() || gives.isEmpty() ? "" : "; ") + gives;
  }

  /** The reason of the wait, followed by these remarks. */
  public String after(String why) {
    String remark = remark();
    return why + (why.isEmpty() || remark.isEmpty() ? "" : "; ") + remark;
  }

  /** The fields of an estimate, as {@code schedgpu status} and {@code top --json} print them. */
  public Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("estimate", text());
    json.put("servedEarliestNs", orNull(earliestNs));
    json.put("servedLatestNs", orNull(latestNs));
    json.put("unknown", unknown.orElse(null));
    json.put("givesUpNs", orNull(givesUpNs));
    return json;
  }

  private static Object orNull(OptionalLong number) {
    return number.isEmpty() ? null : number.getAsLong();
  }

  private String givesUp() {
    String when = about(givesUpNs);
    return "gives up " + (when.equals(SOON) ? SOON : "in " + when);
  }

  private String served() {
    if (latestNs.isPresent() && earliestNs.isPresent()) {
      return between(about(earliestNs), about(latestNs));
    }
    if (earliestNs.isEmpty()) {
      return givesUpNs.isPresent() ? "not before it gives up" : "unknown";
    }
    return earliestNs.getAsLong() < LEAST_NS
        ? unknown.map(who -> "unknown: " + who).orElse("unknown")
        : ">= " + about(earliestNs);
  }

  private String between(String earliest, String latest) {
    if (earliest.equals(latest)) {
      return latest.equals(SOON) ? SOON : "~" + latest;
    }
    return earliestNs.getAsLong() < LEAST_NS ? "at most " + latest : earliest + " to " + latest;
  }

  /** Rounded to the precision that such an estimate deserves. */
  private static String about(OptionalLong time) {
    long ns = time.getAsLong();
    double minutes = (double) ns / TimeUnit.MINUTES.toNanos(1);
    if (ns < LEAST_NS) {
      return SOON;
    }
    if (minutes < 0.92) {
      return Math.max(1, Math.round(minutes * 6)) * 10 + " s";
    }
    if (minutes < 59.5) {
      return Math.round(minutes) + " min";
    }
    if (minutes < TimeUnit.HOURS.toMinutes(10)) {
      return String.format(Locale.ROOT, "%.1f h", minutes / 60).replace(".0 h", " h");
    }
    return minutes < TimeUnit.HOURS.toMinutes(48)
        ? Math.round(minutes / 60) + " h"
        : Math.round(minutes / 60 / 24) + " d";
  }
}
