package org.schedgpu.agent.report;

/**
 * The results of jobs, shared or not.
 *
 * @param makespanNs from the first arrival to the last end
 * @param meanWaitNs mean time that a job waited for memory, or for a GPU
 * @param meanTurnaroundNs mean time from a job's arrival to its end
 * @param occupiedNs sum, over the devices, of the time with a job on the device
 */
public record Outcome(
    int jobs, long makespanNs, long meanWaitNs, long meanTurnaroundNs, long occupiedNs) {}
