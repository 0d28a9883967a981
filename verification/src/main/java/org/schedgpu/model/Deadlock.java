package org.schedgpu.model;

import java.util.Optional;

/** Whether a wait can end. */
final class Deadlock {
  private final Node node;

  Deadlock(Node node) {
    this.node = node;
  }

  /**
   * False if the process could not be served even if all who can finish did; if it holds memory,
   * even if they kept their contexts.
   */
  boolean waitCanEnd(Waiter waiter) {
    Reduction reduction = Reduction.start(node);
    if (waiter.client.usesMemory()) {
      reduction.besideContexts();
    }
    return run(reduction).isGone(waiter.client);
  }

  private static Reduction run(Reduction reduction) {
    return reduction.letRunningGiveBack(client -> true).letServedGiveBack(client -> true);
  }

  /**
   * Whether it would fit, beside outside memory, if all who do not wait gave back what they hold.
   */
  boolean waitsForRunning(Waiter waiter) {
    return Reduction.start(node)
        .letRunningGiveBack(client -> true)
        .isServedBesideUnreserved(waiter);
  }

  /**
   * Whether with so many more bytes of contexts on each device, and {@code granted} done with, all
   * who hold memory can still be served, who can without.
   */
  boolean wayOutIsLeft(Optional<Waiter> granted, long[] contexts) {
    Reduction with = Reduction.withContexts(node, contexts, granted);
    return staysSafe(with.copy())
        && stopsNobody(with.besideContexts(), Reduction.start(node).besideContexts());
  }

  private boolean staysSafe(Reduction with) {
    return new Safety(node, with).isSafe() || !new Safety(node, Reduction.start(node)).isSafe();
  }

  /** Whether all who hold memory go on, who do without. */
  private boolean stopsNobody(Reduction with, Reduction without) {
    run(with);
    run(without);
    return node.clients.stream()
        .filter(Client::usesMemory)
        .filter(client -> client.job.filter(Job::mayHoldAndWait).isPresent())
        .allMatch(client -> with.isGone(client) || !without.isGone(client));
  }
}
