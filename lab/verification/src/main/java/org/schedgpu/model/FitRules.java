package org.schedgpu.model;

import java.util.Optional;
import java.util.OptionalLong;

/** Decides what fits, from given sums. */
final class FitRules {
  private final Node node;
  private final Sums sums;

  FitRules(Node node, Sums sums) {
    this.node = node;
    this.sums = sums;
  }

  static FitRules now(Node node) {
    return new FitRules(node, Sums.of(node));
  }

  /** True if the request could be granted. */
  boolean fits(Waiter waiter) {
    if (!sums.admitted(waiter.job)) {
      return admissionFits(waiter.job);
    }
    if (waiter.isContext()) {
      return covered(waiter) || furtherContextFits(waiter);
    }
    return needIsFree(waiter) && keepsSafe(waiter);
  }

  /** Memory alone: true if what the request needs is free on each device of its job. */
  boolean needIsFree(Waiter waiter) {
    return node.devicesOf(waiter.job).stream().allMatch(d -> need(waiter, d) <= sums.free(d));
  }

  /** What the request needs on a device, beyond what is reserved for it already. */
  private long need(Waiter waiter, int device) {
    boolean here = device == waiter.device;
    if (!waiter.needsBudget()) {
      return here && !isReserved(waiter) ? waiter.bytes : 0;
    }
    if (!waiter.job.admitted || !sums.holds(waiter.job)) {
      boolean joins = here && waiter.job.isLaneJob() && waiter.job.admitted && !sums.supposed();
      return joins ? needWithLane(waiter.job) : waiter.needWithBudget(device);
    }
    return here && waiter.job.overflowWaits() ? sums.lacks(waiter) : 0;
  }

  /** Persistent memory, and what the largest lane of its kind lacks of its ephemeral memory. */
  private long needWithLane(Job job) {
    Lanes lanes = new Lanes(node);
    OptionalLong largest = lanes.ofKind(job).stream().mapToLong(sums::laneBytes).max();
    if (largest.isEmpty() && !lanes.mayOpen(job)) {
      return Long.MAX_VALUE;
    }
    return job.keptBytes() + Math.max(0, job.ephemeralBytes() - largest.orElse(0));
  }

  /**
   * A request for memory of a job that already holds its budget: nothing more is to be reserved.
   */
  boolean needsNothing(Waiter waiter) {
    return waiter.needsBudget() && need(waiter, waiter.device) == 0;
  }

  private boolean isReserved(Waiter waiter) {
    return waiter.isContext() && sums.admitted(waiter.job) && covered(waiter);
  }

  private boolean keepsSafe(Waiter waiter) {
    boolean claims = waiter.isOndemandMemory() && waiter.job.hasClaim(node.rule);
    return !claims || new Safety(node, Reduction.start(node).afterGrant(waiter)).isSafe();
  }

  boolean admissionFits(Job job) {
    long[] contexts = new long[node.devices.size()];
    node.devicesOf(job).forEach(d -> contexts[d] = job.admissionContexts(node.devices.get(d)));
    return node.devicesOf(job).stream().allMatch(d -> contextFits(contexts[d], d, job))
        && new Deadlock(node).wayOutIsLeft(Optional.empty(), contexts);
  }

  private boolean furtherContextFits(Waiter waiter) {
    long[] contexts = new long[node.devices.size()];
    contexts[waiter.device] = waiter.bytes;
    return contextFits(waiter.bytes, waiter.device, waiter.job)
        && new Deadlock(node).wayOutIsLeft(Optional.of(waiter), contexts);
  }

  /** A context that the job's admission has reserved. */
  boolean covered(Waiter waiter) {
    long reserved = waiter.job.admissionContexts(node.devices.get(waiter.device));
    return sums.contextsOfProcesses(waiter.job, waiter.device) + waiter.bytes <= reserved;
  }

  /** fits_context of the rules, without the test for a safe state. */
  private boolean contextFits(long bytes, int device, Job asking) {
    return bytes <= sums.free(device)
        && sums.contexts(device) + bytes + sums.largestNeed(device, asking) <= sums.usable(device);
  }
}
