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
    return Reduction.start(node).letRunningGiveBack(client -> true).isServedBesideOutside(waiter);
  }

  /**
   * Whether with so many more bytes of contexts on each device, and {@code granted} done with, all
   * who hold memory can still be served, if they can without.
   */
  boolean wayOutIsLeft(Optional<Waiter> granted, long[] contexts) {
    Reduction with = Reduction.withContexts(node, contexts, granted);
    Reduction without = Reduction.start(node);
    return (isSafe(with) || !isSafe(without))
        && (allHoldersCanEnd(with) || !allHoldersCanEnd(without));
  }

  private boolean isSafe(Reduction reduction) {
    return new Safety(node, reduction.copy()).isSafe();
  }

  private boolean allHoldersCanEnd(Reduction reduction) {
    run(reduction.besideContexts());
    return node.clients.stream()
        .filter(client -> client.job.filter(Job::mayHoldAndWait).isPresent())
        .allMatch(client -> !client.usesMemory() || reduction.isGone(client));
  }
}
