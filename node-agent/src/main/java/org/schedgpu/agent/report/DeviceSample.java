package org.schedgpu.agent.report;

/**
 * A device at a moment.
 *
 * @param timeNs wall clock
 * @param device its index
 * @param grantedBytes what jobs have reserved of it
 * @param inUseBytes what their processes have allocated
 * @param nvmlUsedBytes what NVML says is in use by anybody; null: unknown
 * @param utilisationPercent of its processors, as NVML says; null: unknown
 * @param jobs how many hold memory of it
 * @param waiting how many requests wait for it
 */
public record DeviceSample(
    long timeNs,
    int device,
    String uuid,
    String name,
    long totalBytes,
    long grantedBytes,
    long inUseBytes,
    Long nvmlUsedBytes,
    Integer utilisationPercent,
    int jobs,
    int waiting) {}
