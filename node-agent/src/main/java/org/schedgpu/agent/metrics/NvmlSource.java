package org.schedgpu.agent.metrics;

import java.util.Map;
import java.util.OptionalInt;

/** The source of numbers that only the driver knows. */
interface NvmlSource extends AutoCloseable {
  /**
   * A device.
   *
   * @param usedBytes in use by all processes, as NVML counts
   * @param busyPercent of its time; empty if NVML does not report it
   */
  record Seen(long usedBytes, OptionalInt busyPercent) {}

  /** By UUID; empty if NVML is absent or does not answer in time. */
  Map<String, Seen> ask();

  @Override
  void close();
}
