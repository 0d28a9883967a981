package org.schedgpu.model;

/**
 * What makes a job a lane job.
 *
 * @param persistentBytes what it keeps between iterations, at most its budget; 0 if unknown
 * @param share its weight under {@link LanePolicy#FAIR} and {@link LanePolicy#SHARE}, 1 to 1000
 * @param lengthNs the time for which it is expected to have its turns; 0 if unknown
 */
public record LaneSpec(LanePolicy policy, long persistentBytes, int share, long lengthNs) {}
