package org.schedgpu.agent.history;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A device at one moment.
 *
 * @param timeNs since 1970 (UTC)
 * @param device index
 * @param totalBytes that it has
 * @param reservedBytes granted by us: budgets, memory and contexts of jobs, and what is charged
 * @param inUseBytes allocated by programs of jobs, their CUDA contexts included
 * @param nvmlUsedBytes in use as NVML sees it; empty: not known
 * @param utilisationPercent of the time a kernel ran; empty: not known
 * @param jobs that hold memory of it
 * @param waiting requests that wait for it
 */
public record DeviceSample(
    long timeNs,
    int device,
    String uuid,
    String name,
    long totalBytes,
    long reservedBytes,
    long inUseBytes,
    OptionalLong nvmlUsedBytes,
    OptionalInt utilisationPercent,
    int jobs,
    int waiting) {}
