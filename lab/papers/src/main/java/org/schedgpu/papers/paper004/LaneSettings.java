package org.schedgpu.papers.paper004;

import org.schedgpu.jna.LanePolicy;

/**
 * How a device is shared.
 *
 * @param capacityBytes device memory for jobs
 * @param policy of all lanes
 * @param lanes how many lanes there may be at a time, 1 to {@link #MAX_LANES}
 * @param quantumNs above 0: the least time of a turn under {@link LanePolicy#FAIR}
 * @param exclusive whether a job has the device for itself, as without sharing
 */
record LaneSettings(
    long capacityBytes, LanePolicy policy, int lanes, long quantumNs, boolean exclusive) {
  /** Those of a node. */
  static final int MAX_LANES = 128;

  private static final long QUANTUM_NS = 1_000_000_000L;

  /** As many lanes as fit, and a quantum of 1 s. */
  static LaneSettings of(long capacityBytes, LanePolicy policy) {
    return new LaneSettings(capacityBytes, policy, MAX_LANES, QUANTUM_NS, false);
  }

  /** One job at a time in the order of arrival: a device that is not shared. */
  static LaneSettings exclusive(long capacityBytes) {
    return new LaneSettings(capacityBytes, LanePolicy.FIFO, MAX_LANES, QUANTUM_NS, true);
  }

  /** The same with so many lanes. */
  LaneSettings withLanes(int count) {
    return new LaneSettings(capacityBytes, policy, count, quantumNs, exclusive);
  }

  /** The same with another quantum. */
  LaneSettings withQuantum(long ns) {
    return new LaneSettings(capacityBytes, policy, lanes, ns, exclusive);
  }
}
