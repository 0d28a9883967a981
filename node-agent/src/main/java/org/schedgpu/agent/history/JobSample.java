package org.schedgpu.agent.history;

/**
 * A job on one device at one moment.
 *
 * @param timeNs since 1970 (UTC)
 * @param job row of the job
 * @param heldBytes what it held or had reserved
 * @param inUseBytes allocated by its processes, their CUDA contexts included
 */
public record JobSample(long timeNs, long job, int device, long heldBytes, long inUseBytes) {}
