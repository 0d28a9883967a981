package org.schedgpu.model;

import java.util.List;
import java.util.Optional;

/**
 * A job as the root side decided it.
 *
 * @param uid its user
 * @param overflowWaits mode peak only: a request beyond the budget waits instead of being refused
 * @param budgetBytes per device, 0 = none
 * @param priority 0 to 100
 * @param processes how many of its processes use a device at once
 * @param deviceMask bit i = device i
 * @param lane present if it is a lane job
 */
public record JobSpec(
    long id,
    int uid,
    Mode mode,
    boolean overflowWaits,
    List<Long> budgetBytes,
    int priority,
    int processes,
    int deviceMask,
    Optional<LaneSpec> lane) {

  /** A job without a lane. */
  public JobSpec(
      long id,
      int uid,
      Mode mode,
      boolean overflowWaits,
      List<Long> budgetBytes,
      int priority,
      int processes,
      int deviceMask) {
    this(
        id,
        uid,
        mode,
        overflowWaits,
        budgetBytes,
        priority,
        processes,
        deviceMask,
        Optional.empty());
  }
}
