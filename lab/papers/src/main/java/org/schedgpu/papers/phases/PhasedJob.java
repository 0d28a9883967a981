package org.schedgpu.papers.phases;

import java.util.List;

/**
 * A job of one process on one device.
 *
 * @param name for people
 * @param submitNs when it comes to the queue of the cluster, at least 0
 * @param budgetBytes the most device memory that it allocates at once, without its context
 * @param priority 0 to 100; larger is served earlier by policies that look at it
 * @param steps in their order
 */
public record PhasedJob(
    String name, long submitNs, long budgetBytes, int priority, List<Step> steps) {
  public PhasedJob {
    steps = List.copyOf(steps);
  }
}
