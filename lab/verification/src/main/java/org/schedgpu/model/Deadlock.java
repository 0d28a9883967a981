package org.schedgpu.model;

import java.util.Optional;

/** Decides whether a wait can end. */
final class Deadlock {
  private final Node node;

  Deadlock(Node node) {
    this.node = node;
  }

  /**
   * False if the process could not be served even after every process that can finish had finished.
   * If the process holds memory, the others keep their contexts in this test.
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
   * True if the request would fit, beside unreserved memory, once every running process had
   * released what it holds.
   */
  boolean waitsForRunning(Waiter waiter) {
    return Reduction.start(node)
        .letRunningGiveBack(client -> true)
        .isServedBesideUnreserved(waiter);
  }

  /**
   * True if every process that holds memory can still be served by processes that can finish
   * without it, with these additional bytes of contexts on each device and after {@code granted}
   * has finished.
   */
  boolean wayOutIsLeft(Optional<Waiter> granted, long[] contexts) {
    Reduction with = Reduction.withContexts(node, contexts, granted);
    return staysSafe(with.copy())
        && stopsNobody(with.besideContexts(), Reduction.start(node).besideContexts());
  }

  private boolean staysSafe(Reduction with) {
    return new Safety(node, with).isSafe() || !new Safety(node, Reduction.start(node)).isSafe();
  }

  /**
   * True if every process that holds memory can continue, while the processes without memory
   * finish.
   */
  private boolean stopsNobody(Reduction with, Reduction without) {
    run(with);
    run(without);
    return node.clients.stream()
        .filter(Client::usesMemory)
        .filter(client -> client.job.filter(Job::mayHoldAndWait).isPresent())
        .allMatch(client -> with.isGone(client) || !without.isGone(client));
  }
}
