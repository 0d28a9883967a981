package org.schedgpu.jna;

import java.util.Optional;
import java.util.SortedMap;

/**
 * A job that ended on this node, as the region remembers it. Sequences begin at 1 with each region
 * ({@link RegionSnapshot#createdNs()}) and grow by 1 with each ended job. A missing sequence was
 * overwritten by a younger job, or is damaged.
 *
 * @param sequence number of the job in the order of ends
 * @param budgetBytes of each of its devices; 0 = none declared
 * @param peakBytes the most that its programs had allocated at once, without contexts, on the
 *     devices where that is not 0
 * @param contextPeakBytes the most of its processes' contexts, on the devices where that is not 0
 * @param begunNs CLOCK_MONOTONIC, as {@code endedNs}
 * @param figures of all of it
 * @param refusals refused allocations of its programs
 * @param lane of a lane job
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
    SortedMap<Integer, Long> contextPeakBytes,
    long begunNs,
    long endedNs,
    JobFigures figures,
    Refusals refusals,
    Optional<LaneUse> lane)
    implements HasFigures {
  /** As in {@code SCHEDGPU_JOB}. */
  public String reference() {
    return kind.text() + ":" + id;
  }
}
