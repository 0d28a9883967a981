package org.schedgpu.model;

/** Whether a wait can end. */
final class Deadlock {
  private final Node node;

  Deadlock(Node node) {
    this.node = node;
  }

  /** False if the request could not be served even if all who can finish did. */
  boolean waitCanEnd(Waiter waiter) {
    return Reduction.start(node)
        .letRunningGiveBack(client -> true)
        .letServedGiveBack(client -> true)
        .isGone(waiter.client);
  }

  /** Whether it would fit if all processes that do not wait gave back what they hold. */
  boolean waitsForRunning(Waiter waiter) {
    return Reduction.start(node).letRunningGiveBack(client -> true).isServed(waiter);
  }
}
