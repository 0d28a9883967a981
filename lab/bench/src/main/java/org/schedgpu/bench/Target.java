package org.schedgpu.bench;

import java.util.Locale;
import java.util.Optional;

/**
 * The upper bound for a measurement.
 *
 * @param bound of the p50, of the ratio, or of the difference
 * @param unit of the p50; {@code x} for the ratio to the limit, {@code ns more} for the difference
 */
record Target(double bound, String unit) {
  private static final String RATIO = "x";
  private static final String MORE = "ns more";

  /** The target of a measurement, if it has one. */
  static Optional<Target> of(String name) {
    Target target =
        switch (name) {
          case "reserve-release" -> new Target(500, "ns");
          case "life-cycle" -> new Target(40, "us");
          case "kill-to-waiter", "kill-to-waiter-agent" -> new Target(5, "ms");
          case "agent-ready" -> new Target(1500, "ms");
          case "hand-off", "hand-off-same-cpu" -> new Target(1.3, RATIO);
          case "turn" -> new Target(1000, "ns");
          case "launch" -> new Target(5, MORE);
          case "shares-1-2-4" -> new Target(3, "%");
          case "turn-switch", "turn-switch-same-cpu" -> new Target(3, RATIO);
          case "shared-lane-switch", "shared-lane-switch-same-cpu" -> new Target(3, RATIO);
          case "run-command" -> new Target(20, "ms");
          case "start-status" -> new Target(4.5, RATIO);
          case "start-status-agent" -> new Target(1, RATIO);
          case "shared-memory" -> new Target(0.5, RATIO);
          case "in-budget-alloc" -> new Target(3, RATIO);
          case "plan-10000-nodes" -> new Target(5000, "ms");
          case "plan-growth" -> new Target(1.2, "exp");
          case "simulate-million-jobs" -> new Target(60_000, "ms");
          case "simulate-million-memory" -> new Target(2048, "MB");
          case "simulate-sweep-16" -> new Target(9, RATIO);
          default -> ofFamily(name);
        };
    return Optional.ofNullable(target);
  }

  private static Target ofFamily(String name) {
    if (name.endsWith("-attached")) {
      return new Target(2, RATIO);
    }
    if (name.startsWith("simulate-event-")) {
      return new Target(1, RATIO);
    }
    if (name.startsWith("start-")) {
      return new Target(6, RATIO);
    }
    boolean longestQueue = name.startsWith("queue-pass-") && name.endsWith("-1024");
    return longestQueue ? new Target(20, "us") : null;
  }

  boolean isMetBy(Measurement measurement) {
    if (unit.equals(RATIO)) {
      return measurement.ratio() <= bound;
    }
    if (unit.equals(MORE)) {
      return measurement.p50() - measurement.limit() <= bound;
    }
    if (!unit.equals(measurement.unit())) {
      throw new BenchException(
          "bench: " + measurement.name() + " is in " + measurement.unit() + ", not in " + unit);
    }
    return measurement.p50() <= bound;
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "<= %s %s", Numbers.plain(bound), unit);
  }
}
