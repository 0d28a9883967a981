package org.schedgpu.agent.report;

import java.util.SortedMap;

/**
 * A job of the history.
 *
 * @param job as in SCHEDGPU_JOB, {@code slurm:4711}
 * @param endedNs null while it runs
 * @param waitedNs sum of its waits that are over
 * @param waits how many those are
 * @param heldNs how long it held memory
 * @param devices what it has of each device
 */
public record JobRecord(
    String job,
    String name,
    int uid,
    String user,
    String mode,
    long begunNs,
    Long endedNs,
    long waitedNs,
    int waits,
    long heldNs,
    SortedMap<Integer, Need> devices) {
  /** Waits are measured by another clock than begin and end, which is adjusted now and then. */
  private static final long CLOCKS_DIFFER_NS = 1_000_000_000L;

  /**
   * What it asked for of a device, and the most it had in use; 0: nobody saw.
   *
   * @param peakBytes of its processes together
   */
  public record Need(long requestedBytes, long peakBytes) {}

  boolean overlaps(Window window) {
    return begunNs < window.untilNs() && endNs(window) > window.fromNs();
  }

  /** Its end, or that of the window while it runs. */
  long endNs(Window window) {
    return endedNs == null ? window.untilNs() : endedNs;
  }

  boolean running() {
    return endedNs == null;
  }

  /** Whether the clock was set back during its life, so that its times say nothing. */
  boolean outOfTime(Window window) {
    return endNs(window) - begunNs < Math.max(0, waitedNs - CLOCKS_DIFFER_NS);
  }

  /** Whether it waited for memory and ended without. */
  boolean gaveUp() {
    return !running() && heldNs == 0 && waits > 0;
  }
}
