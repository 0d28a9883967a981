package org.schedgpu.jna;

import java.util.Optional;

/**
 * What a registered job has because of its lane policy.
 *
 * @param policy of its lane
 * @param share its weight
 * @param lengthNs the run time that it declared; 0: unknown
 * @param persistentBytes what it keeps between iterations
 * @param record of its lane; empty while it holds nothing
 * @param serviceNs how long its processes have had the turn, a present turn left out
 * @param turns that its processes have got
 */
public record JobLane(
    LanePolicy policy,
    long share,
    long lengthNs,
    long persistentBytes,
    Optional<Integer> record,
    long serviceNs,
    long turns) {}
