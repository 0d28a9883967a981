package org.schedgpu.agent.suggest;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.schedgpu.jna.Refusals;
import org.schedgpu.jna.Units;

/**
 * A suggested budget.
 *
 * @param user login name
 * @param name of the job
 * @param runs number of runs that count
 * @param askedBytes median budget of the runs with one; 0 = none had one
 * @param medianBytes median of each run's largest use of one device
 * @param usedBytes the largest of these
 * @param atLeast true if the run that needed most reached the end of its budget, or was refused
 *     more
 * @param refusals refused allocations of all runs
 * @param suggestedBytes the suggested budget, at most what a device can give on which a run was
 * @param peaks largest use by device
 */
public record Suggestion(
    int uid,
    String user,
    String name,
    int runs,
    long askedBytes,
    long medianBytes,
    long usedBytes,
    boolean atLeast,
    Refusals refusals,
    long suggestedBytes,
    SortedMap<Integer, Long> peaks) {
  /**
   * From runs of one user and name.
   *
   * @param runs at least one
   */
  static Suggestion of(List<PastRun> runs) {
    long settled = settledBytes(runs);
    PastRun most =
        runs.stream()
            .max(
                Comparator.comparingLong((PastRun run) -> needed(run, settled))
                    .thenComparing(run -> !run.isAtCeiling()))
            .orElseThrow();
    long largest = runs.stream().mapToLong(PastRun::largestBytes).max().orElseThrow();
    SortedMap<Integer, Long> peaks = new TreeMap<>();
    runs.forEach(run -> run.peaks().forEach((d, bytes) -> peaks.merge(d, bytes, Math::max)));
    return new Suggestion(
        most.uid(),
        most.user(),
        most.name(),
        runs.size(),
        median(runs.stream().map(PastRun::askedBytes).filter(bytes -> bytes > 0).toList()),
        median(runs.stream().map(PastRun::usedBytes).toList()),
        runs.stream().mapToLong(PastRun::usedBytes).max().orElseThrow(),
        most.isAtCeiling(),
        runs.stream().map(PastRun::refusals).reduce(Refusals.NONE, Refusals::and),
        Math.min(budgetFor(needed(most, settled)), wholeMib(largest)),
        peaks);
  }

  /** What can be typed of it. */
  private static long wholeMib(long bytes) {
    return bytes >> 20 << 20;
  }

  /** The largest use of a run that had enough; -1: no run had enough. */
  private static long settledBytes(List<PastRun> runs) {
    return runs.stream()
        .filter(run -> !run.isAtCeiling())
        .mapToLong(PastRun::usedBytes)
        .max()
        .orElse(-1);
  }

  /** A refused amount is no longer a guess once another run had that amount and it was enough. */
  private static long needed(PastRun run, long settledBytes) {
    return run.usedBytes() <= settledBytes ? run.usedBytes() : run.neededBytes();
  }

  /** The lower of two middle values. */
  private static long median(List<Long> values) {
    return values.isEmpty()
        ? 0
        : values.stream().sorted().skip((values.size() - 1) / 2).findFirst().orElseThrow();
  }

  /** The budget for a run that used this much; a negative use counts as 0. */
  public static long budgetFor(long usedBytes) {
    return Units.suggestedBudget(Math.max(0, usedBytes));
  }

  /** In the form that users type: {@code 3G}, {@code 2560M}. */
  public static String typed(long bytes) {
    return Units.typed(bytes);
  }

  /** The option of sbatch, salloc and srun. */
  public String option() {
    return "--schedgpu-mem=" + typed(suggestedBytes);
  }

  /** For JSON, in a fixed order. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("user", user);
    map.put("uid", Integer.toUnsignedLong(uid));
    map.put("name", name);
    map.put("runs", runs);
    map.put("askedBytes", askedBytes);
    map.put("medianBytes", medianBytes);
    map.put("usedBytes", usedBytes);
    map.put("atLeast", atLeast);
    map.put("refusals", refusals.count());
    map.put("largestRefusedBytes", refusals.largestBytes());
    map.put("suggestedBytes", suggestedBytes);
    map.put("option", option());
    map.put("peakBytesByDevice", peaks);
    return map;
  }
}
