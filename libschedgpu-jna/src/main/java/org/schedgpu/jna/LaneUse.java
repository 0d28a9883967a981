package org.schedgpu.jna;

import java.util.OptionalLong;

/**
 * How a lane job used its lane.
 *
 * @param policy of its lane
 * @param share its weight; 0: not known, since the record of an ended job does not have it
 * @param turns that its processes got
 * @param switches turns that its processes gave to a process that waited
 * @param serviceNs how long its processes were in iterations; empty: not known, of a job in an old
 *     history
 * @param waitedNs how long they waited for turns
 * @param keptBytes the most that it was seen to use between two turns; 0: unknown, or nothing
 */
public record LaneUse(
    LanePolicy policy,
    long share,
    long turns,
    long switches,
    OptionalLong serviceNs,
    long waitedNs,
    long keptBytes) {
  /** Of a job whose service is known. */
  public LaneUse(
      LanePolicy policy,
      long share,
      long turns,
      long switches,
      long serviceNs,
      long waitedNs,
      long keptBytes) {
    this(policy, share, turns, switches, OptionalLong.of(serviceNs), waitedNs, keptBytes);
  }
}
