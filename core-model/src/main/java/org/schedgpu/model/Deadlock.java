package org.schedgpu.model;

/** Whether a wait can end. */
final class Deadlock {
  private final Node node;

  Deadlock(Node node) {
    this.node = node;
  }

  /** False if the request could not be served even if all who can finish did. */
  boolean waitCanEnd(Waiter waiter) {
    return everybodyWhoCan().letAllFinish().finished(waiter.client);
  }

  /** Whether it could be served if all processes that do not wait gave back what they hold. */
  boolean servedOnceOthersEnd(Waiter waiter) {
    return new Fits(node, everybodyWhoCan().accounts()).needIsFree(waiter);
  }

  private Endings everybodyWhoCan() {
    return new Endings(node, Accounts.of(node), client -> true);
  }
}
