package org.schedgpu.jna;

import java.util.SortedMap;

/**
 * A job that ended on this node, as the region remembers it. Sequences begin at 1 with each region
 * ({@link RegionSnapshot#createdNs()}) and grow by 1 with each job that ends: where one is missing,
 * it was overwritten by younger ones, or damaged.
 *
 * @param sequence which of the jobs that ended
 * @param budgetBytes of each of its devices; 0 = none declared
 * @param peakBytes most that its processes had in use at once, contexts included, on the devices
 *     where that was anything
 * @param begunNs CLOCK_MONOTONIC, as {@code endedNs}
 * @param waitedNs sum of its waits
 * @param waits how many there were
 * @param heldNs how long it held memory of any device
 * @param refusals what its programs were refused
 */
public record EndedJob(
    long sequence,
    JobKind kind,
    long id,
    String name,
    int uid,
    int priority,
    Mode mode,
    SortedMap<Integer, Long> budgetBytes,
    SortedMap<Integer, Long> peakBytes,
    long begunNs,
    long endedNs,
    long waitedNs,
    int waits,
    long heldNs,
    Refusals refusals) {
  /** As in {@code SCHEDGPU_JOB}. */
  public String reference() {
    return kind.text() + ":" + id;
  }
}
