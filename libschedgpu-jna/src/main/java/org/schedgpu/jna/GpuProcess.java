package org.schedgpu.jna;

import java.util.OptionalLong;

/**
 * A process that NVML sees on a device.
 *
 * @param pid in the PID namespace of the host
 * @param usedBytes memory of the device, its CUDA contexts included; empty if NVML does not report
 *     it
 */
public record GpuProcess(int pid, OptionalLong usedBytes) {}
