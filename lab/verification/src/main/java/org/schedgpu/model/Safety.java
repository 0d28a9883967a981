package org.schedgpu.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The banker's condition (Dijkstra, EWD 623): the jobs that hold memory and declared a max claim
 * can get the rest of their claims, one after the other.
 */
final class Safety {
  private final Node node;
  private final Reduction reduction;

  /** Starts from the state that {@code reduction} has reached, and changes that state. */
  Safety(Node node, Reduction reduction) {
    this.node = node;
    this.reduction = reduction;
  }

  boolean isSafe() {
    List<Job> unfinished = new ArrayList<>(node.jobs);
    Sums start = reduction.sums();
    unfinished.removeIf(job -> !job.hasClaim(node.rule) || !start.holdsMemory(job));
    reduction.besideContexts().letRunningGiveBack(this::hasNoClaim);
    boolean progress = true;
    while (progress) {
      reduction.letServedGiveBack(this::hasNoClaim);
      progress = unfinished.removeIf(this::finish);
    }
    return unfinished.isEmpty();
  }

  private boolean hasNoClaim(Client client) {
    return client.job.filter(job -> job.hasClaim(node.rule)).isEmpty();
  }

  /** Lets the job finish if the rest of its claim is free. */
  private boolean finish(Job job) {
    Sums now = reduction.sums();
    boolean can =
        node.devicesOf(job).stream()
            .allMatch(d -> job.budget(d) - now.memory(job, d) <= now.free(d));
    if (can) {
      reduction.finish(job);
    }
    return can;
  }
}
