package org.schedgpu.simulator.engine;

/**
 * What became of the jobs of a scenario; arrays by index of the job. Times are nanoseconds since
 * 1970.
 *
 * @param scenario what was played
 * @param startNs when the cluster's scheduler started each job
 * @param computeNs when it had its memory and began to compute
 * @param endNs when it ended; {@link #NEVER} for jobs that wait for each other on several nodes
 * @param occupiedNs device time with at least one job, summed over all devices
 * @param events how many starts, grants and ends of jobs were played
 */
@SuppressWarnings("ArrayRecordComponent") // millions of jobs
public record Outcome(
    Scenario scenario,
    long[] startNs,
    long[] computeNs,
    long[] endNs,
    double occupiedNs,
    long events) {
  public static final long NEVER = -1;
}
