package org.schedgpu.simulator.engine;

/**
 * The results of the jobs in a scenario; arrays by index of the job. Times are nanoseconds since
 * 1970.
 *
 * @param scenario the simulated scenario
 * @param startNs when the cluster's scheduler started each job
 * @param computeNs when it had its memory and began to compute
 * @param endNs when it ended; {@link #NEVER} for jobs that wait for each other on several nodes
 * @param occupiedNs device time with at least one job, summed
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
