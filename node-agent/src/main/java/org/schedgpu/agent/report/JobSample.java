package org.schedgpu.agent.report;

/**
 * What a job had of a device at a moment.
 *
 * @param timeNs wall clock
 */
public record JobSample(long timeNs, int device, long heldBytes, long inUseBytes) {}
