package org.schedgpu.agent.top;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * NVML's numbers for a device.
 *
 * @param usedBytes in use by all processes
 * @param utilisationPercent part of the last sample period in which a kernel ran
 */
public record NvmlUse(OptionalLong usedBytes, OptionalInt utilisationPercent) {
  /** NVML is absent, or does not report it. */
  public static final NvmlUse UNKNOWN = new NvmlUse(OptionalLong.empty(), OptionalInt.empty());
}
