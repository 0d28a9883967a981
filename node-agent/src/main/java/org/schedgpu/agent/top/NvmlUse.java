package org.schedgpu.agent.top;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What NVML says of a device.
 *
 * @param usedBytes in use, by whomever
 * @param utilisationPercent of the last sample period in which a kernel ran
 */
public record NvmlUse(OptionalLong usedBytes, OptionalInt utilisationPercent) {
  /** NVML is not there, or does not tell. */
  public static final NvmlUse UNKNOWN = new NvmlUse(OptionalLong.empty(), OptionalInt.empty());
}
