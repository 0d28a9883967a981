package org.schedgpu.model;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Who could finish: processes give back all they hold, one after the other. */
final class Reduction {
  private final Node node;
  private final Set<Client> gone = new HashSet<>();
  private final Set<Job> finished = new HashSet<>();
  private final List<Waiter> given;

  private Reduction(Node node, List<Waiter> given) {
    this.node = node;
    this.given = given;
  }

  /** Nobody has given anything back yet. */
  static Reduction start(Node node) {
    return new Reduction(node, List.of());
  }

  /** From here on, as if {@code waiter} were granted, too. */
  Reduction afterGrant(Waiter waiter) {
    Reduction copy = new Reduction(node, List.of(waiter));
    copy.gone.addAll(gone);
    return copy;
  }

  Accounts accounts() {
    return Accounts.supposing(node, gone, finished, given);
  }

  /** Those of these processes that do not wait give back all. */
  Reduction letRunningGiveBack(Predicate<Client> who) {
    node.clients.stream()
        .filter(client -> who.test(client) && !node.waits(client))
        .forEach(gone::add);
    return this;
  }

  /**
   * Those of these processes give back all for which the needs of all their waiting requests are
   * free, until there is no more of them.
   */
  Reduction letServedGiveBack(Predicate<Client> who) {
    while (node.clients.stream().anyMatch(client -> who.test(client) && goesOn(client))) {}
    return this;
  }

  private boolean goesOn(Client client) {
    boolean served =
        node.waiters.stream()
            .filter(waiter -> waiter.client == client && waiter.waits())
            .allMatch(this::isServed);
    return served && gone.add(client);
  }

  /** Whether the need of a request is free by now. */
  boolean isServed(Waiter waiter) {
    boolean claims = waiter.isOndemandMemory() && waiter.job.hasClaim(node.rule);
    return new Fits(node, accounts()).needIsFree(waiter)
        && (!claims || new Safety(node, afterGrant(waiter)).isSafe());
  }

  /** As {@link #isServed}, while outside memory is not free. */
  boolean isServedBesideOutside(Waiter waiter) {
    return new Fits(node, accounts().besideOutside()).needIsFree(waiter) && isServed(waiter);
  }

  /** The job got all it may claim, and gives back its memory. */
  void finish(Job job) {
    finished.add(job);
  }

  boolean isGone(Client client) {
    return gone.contains(client);
  }
}
