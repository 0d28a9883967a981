package org.schedgpu.model;

import java.util.Optional;
import java.util.function.Predicate;

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
   * who hold memory can still be served, who can without.
   */
  boolean wayOutIsLeft(Optional<Waiter> granted, long[] contexts) {
    Reduction with = Reduction.withContexts(node, contexts, granted);
    return staysSafe(with.copy())
        && stopsNobody(
            with.besideContexts(), Reduction.start(node).besideContexts(), client -> true);
  }

  /**
   * The same of a request for memory whose process waits with another one, too: this process itself
   * is not looked at, for its other threads may go on. What is not free is judged as things are
   * when all who do not wait have ended.
   */
  boolean grantLeavesWayOut(Waiter waiter) {
    if (waiter.isContext()
        || !waiter.job.mayHoldAndWait()
        || !waiter.job.admitted
        || !waitsBeside(waiter)) {
      return true;
    }
    boolean free = Fits.now(node).needIsFree(waiter);
    Reduction with = Reduction.withMemory(node, waiter);
    return (!free || staysSafe(with.copy()))
        && stopsNobody(
            beforeGrant(with, free),
            beforeGrant(Reduction.start(node), free),
            client -> client != waiter.client);
  }

  private static Reduction beforeGrant(Reduction reduction, boolean now) {
    return now ? reduction : reduction.letRunningGiveBack(client -> true);
  }

  private boolean waitsBeside(Waiter waiter) {
    return node.waiters.stream()
        .anyMatch(w -> w != waiter && w.waits() && w.client == waiter.client);
  }

  private boolean staysSafe(Reduction with) {
    return new Safety(node, with).isSafe() || !new Safety(node, Reduction.start(node)).isSafe();
  }

  /** Whether all of these who hold memory go on, who do without; contexts stay from here on. */
  private boolean stopsNobody(Reduction with, Reduction without, Predicate<Client> who) {
    run(with.besideContexts());
    run(without.besideContexts());
    return node.clients.stream()
        .filter(client -> who.test(client) && client.usesMemory())
        .filter(client -> client.job.filter(Job::mayHoldAndWait).isPresent())
        .allMatch(client -> with.isGone(client) || !without.isGone(client));
  }
}
