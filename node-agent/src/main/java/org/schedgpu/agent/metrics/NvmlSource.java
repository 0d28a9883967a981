package org.schedgpu.agent.metrics;

import java.util.Map;
import java.util.OptionalInt;

/** Where the numbers come from that only the driver knows. */
interface NvmlSource extends AutoCloseable {
  /**
   * A device.
   *
   * @param usedBytes by everybody, as NVML counts
   * @param busyPercent of its time; empty: it does not tell
   */
  record Seen(long usedBytes, OptionalInt busyPercent) {}

  /** By UUID; empty where NVML is not, or does not answer in time. */
  Map<String, Seen> ask();

  @Override
  void close();
}
