package org.schedgpu.simulator.input;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Lines of an input that cannot be simulated: how many for each reason, and the first of them. */
public final class LeftOut {
  private static final int NAMED = 3;

  private final Map<String, Reason> reasons = new TreeMap<>();

  /**
   * The lines of one reason.
   *
   * @param lines how many
   * @param first the first of them
   */
  public record Reason(long lines, List<String> first) {}

  /**
   * Counts a line.
   *
   * @param why the same text for all lines that are left out for the same reason
   * @param name of the line: its number, and its job
   */
  public void add(String why, String name) {
    Reason before = reasons.getOrDefault(why, new Reason(0, List.of()));
    List<String> first = new ArrayList<>(before.first());
    if (first.size() < NAMED) {
      first.add(name);
    }
    reasons.put(why, new Reason(before.lines() + 1, List.copyOf(first)));
  }

  /** By reason. */
  public Map<String, Reason> reasons() {
    return Collections.unmodifiableMap(reasons);
  }

  /** The reason of most lines, as {@code " (3: has no GPU)"}; empty if nothing was left out. */
  public String mostOften() {
    return reasons.entrySet().stream()
        .max((a, b) -> Long.compare(a.getValue().lines(), b.getValue().lines()))
        .map(most -> " (" + most.getValue().lines() + ": " + most.getKey() + ")")
        .orElse("");
  }

  /** Of all reasons. */
  public long lines() {
    return reasons.values().stream().mapToLong(Reason::lines).sum();
  }
}
