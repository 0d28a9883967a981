package org.schedgpu.jna;

import java.util.Optional;

/**
 * What a registered job has because of its lane policy.
 *
 * @param use how it used its lane, without a turn or a wait that lasts
 * @param lengthNs the run time that it declared; 0: unknown
 * @param persistentBytes what it keeps between iterations
 * @param record of its lane; empty while it holds nothing
 */
public record JobLane(LaneUse use, long lengthNs, long persistentBytes, Optional<Integer> record) {
  /** The policy of its lane. */
  public LanePolicy policy() {
    return use.policy();
  }
}
