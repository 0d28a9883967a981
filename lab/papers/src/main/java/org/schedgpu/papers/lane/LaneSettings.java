package org.schedgpu.papers.lane;

/**
 * How a device is shared.
 *
 * @param capacityBytes device memory for jobs
 * @param policy of all lanes
 * @param lanes how many lanes there may be at a time, at least 1
 * @param quantumNs above 0: the least time of a turn under {@link LanePolicy#FAIR}
 * @param idleNs above 0: a turn that was idle for so long goes to a waiter, and how often each
 *     waiter looks for it
 * @param overtakeLimit who was overtaken so often comes first; 0 for no limit
 * @param switchNs what giving the turn to another job takes, at least 0
 * @param exclusive whether a job has the device for itself, as without sharing
 */
public record LaneSettings(
    long capacityBytes,
    LanePolicy policy,
    int lanes,
    long quantumNs,
    long idleNs,
    int overtakeLimit,
    long switchNs,
    boolean exclusive) {
  private static final int MAX_LANES = 128;
  private static final long QUANTUM_NS = 1_000_000_000L;

  /** SG_LANE_IDLE_NS of the library. */
  private static final long IDLE_NS = 5_000_000L;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is outside its range
   */
  public LaneSettings {
    if (lanes < 1 || quantumNs <= 0 || idleNs <= 0 || overtakeLimit < 0 || switchNs < 0) {
      throw new IllegalArgumentException(
          "simulator: lanes=%d, quantumNs=%d, idleNs=%d, overtakeLimit=%d, switchNs=%d: one is out of range"
              .formatted(lanes, quantumNs, idleNs, overtakeLimit, switchNs));
    }
  }

  /** 128 lanes, a quantum of 1 s, no limit of overtaking; switching takes no time. */
  public static LaneSettings of(long capacityBytes, LanePolicy policy) {
    return new LaneSettings(capacityBytes, policy, MAX_LANES, QUANTUM_NS, IDLE_NS, 0, 0, false);
  }

  /** One job at a time in the order of arrival: a device that is not shared. */
  public static LaneSettings exclusive(long capacityBytes) {
    return new LaneSettings(capacityBytes, LanePolicy.FIFO, 1, QUANTUM_NS, IDLE_NS, 0, 0, true);
  }

  /** The same with so many lanes. */
  public LaneSettings withLanes(int count) {
    return new LaneSettings(
        capacityBytes, policy, count, quantumNs, idleNs, overtakeLimit, switchNs, exclusive);
  }

  /** The same with another quantum. */
  public LaneSettings withQuantum(long ns) {
    return new LaneSettings(
        capacityBytes, policy, lanes, ns, idleNs, overtakeLimit, switchNs, exclusive);
  }

  /** The same with another time after which an idle turn goes to a waiter. */
  public LaneSettings withIdle(long ns) {
    return new LaneSettings(
        capacityBytes, policy, lanes, quantumNs, ns, overtakeLimit, switchNs, exclusive);
  }

  /** The same with a cost of switching. */
  public LaneSettings withSwitch(long ns) {
    return new LaneSettings(
        capacityBytes, policy, lanes, quantumNs, idleNs, overtakeLimit, ns, exclusive);
  }
}
