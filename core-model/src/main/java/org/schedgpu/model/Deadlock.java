package org.schedgpu.model;

/** Whether a wait can end. */
final class Deadlock {
  private final Node node;

  Deadlock(Node node) {
    this.node = node;
  }

  /**
   * False if the request could not be served even if all who can finish did, or if a process that
   * holds memory would wait for contexts.
   */
  boolean waitCanEnd(Waiter waiter) {
    boolean waitsForContexts = waiter.client.usesMemory() && !fitsBesideContexts(waiter);
    return !waitsForContexts
        && Reduction.start(node)
            .letRunningGiveBack(client -> true)
            .letServedGiveBack(client -> true)
            .isGone(waiter.client);
  }

  private boolean fitsBesideContexts(Waiter waiter) {
    int d = waiter.device;
    Accounts accounts = Accounts.of(node);
    return accounts.contexts(d) + waiter.client.inUse(d) + waiter.bytes <= accounts.usable(d);
  }

  /**
   * Whether it would fit, beside outside memory, if all who do not wait gave back what they hold.
   */
  boolean waitsForRunning(Waiter waiter) {
    return Reduction.start(node).letRunningGiveBack(client -> true).isServedBesideOutside(waiter);
  }
}
