package org.schedgpu.jna;

import java.util.OptionalLong;

/**
 * A process that NVML sees on a device.
 *
 * @param pid as the PID namespace of the host numbers it
 * @param usedBytes of the device's memory, its CUDA contexts included; empty if NVML does not tell
 */
public record GpuProcess(int pid, OptionalLong usedBytes) {}
