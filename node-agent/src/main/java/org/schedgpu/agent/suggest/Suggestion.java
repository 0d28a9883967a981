package org.schedgpu.agent.suggest;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.schedgpu.jna.Refusals;

/**
 * What to ask for the next time.
 *
 * @param user login name
 * @param name of the job
 * @param runs that were looked at
 * @param askedBytes median budget of those that had one; 0 = none had
 * @param medianBytes median of what a run used at most of one device
 * @param usedBytes largest of these
 * @param atLeast whether the run that needed most came to the end of its budget, or was refused
 *     more
 * @param refusals what the runs were refused, all together
 * @param suggestedBytes budget that would do
 * @param peaks largest by device, CUDA contexts included
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
  private static final long MIB = 1L << 20;
  private static final long UNIT_BYTES = 256 * MIB;
  private static final int MARGIN_PERCENT = 10;

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
        budgetFor(needed(most, settled)),
        peaks);
  }

  /** Most that a run used which had enough; -1: none had. */
  private static long settledBytes(List<PastRun> runs) {
    return runs.stream()
        .filter(run -> !run.isAtCeiling())
        .mapToLong(PastRun::usedBytes)
        .max()
        .orElse(-1);
  }

  /** What a run was refused is no guess any more once another used as much, and had enough. */
  private static long needed(PastRun run, long settledBytes) {
    return run.usedBytes() <= settledBytes ? run.usedBytes() : run.neededBytes();
  }

  /** The lower one of two in the middle. */
  private static long median(List<Long> values) {
    return values.isEmpty()
        ? 0
        : values.stream().sorted().skip((values.size() - 1) / 2).findFirst().orElseThrow();
  }

  /** With 10 % to spare, and 256 MiB at least, in steps of 256 MiB. */
  public static long budgetFor(long usedBytes) {
    long margin = Math.max(UNIT_BYTES, usedBytes / 100 * MARGIN_PERCENT);
    long bytes = usedBytes + margin;
    return (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
  }

  /** As it is typed: {@code 3G}, {@code 2560M}. */
  public static String typed(long bytes) {
    long mib = bytes / MIB;
    return mib % 1024 == 0 ? mib / 1024 + "G" : mib + "M";
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
