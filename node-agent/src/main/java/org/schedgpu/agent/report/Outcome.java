package org.schedgpu.agent.report;

/**
 * How some jobs went, shared or not.
 *
 * @param makespanNs from the first arrival to the last end
 * @param meanWaitNs that a job waited for memory, or for a GPU
 * @param meanTurnaroundNs from a job's arrival to its end
 * @param occupiedNs sum, over the devices, of the time in which a job was there
 */
public record Outcome(
    int jobs, long makespanNs, long meanWaitNs, long meanTurnaroundNs, long occupiedNs) {}
