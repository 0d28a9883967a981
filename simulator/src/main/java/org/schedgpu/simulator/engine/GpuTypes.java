package org.schedgpu.simulator.engine;

import java.util.HashMap;
import java.util.Map;
import org.schedgpu.simulator.job.Job;

/** Types of GPU as bits. */
final class GpuTypes {
  private static final int LAST_BIT = 63;

  private final Map<String, Long> masks = new HashMap<>();

  /** The bit of a type. From the 64th type on they share the last bit, which only costs time. */
  long maskOf(String type) {
    Long mask = masks.get(type);
    if (mask == null) {
      mask = 1L << Math.min(masks.size(), LAST_BIT);
      masks.put(type, mask);
    }
    return mask;
  }

  /** True if each type has a bit of its own. */
  boolean areFew() {
    return masks.size() <= LAST_BIT;
  }

  /** The types that a job accepts. */
  long maskOf(Job job) {
    if (job.gpuTypes().isEmpty()) {
      return -1;
    }
    long mask = 0;
    for (String type : job.gpuTypes()) {
      mask |= maskOf(type);
    }
    return mask;
  }
}
