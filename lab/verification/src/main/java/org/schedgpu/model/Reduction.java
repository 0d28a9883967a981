package org.schedgpu.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Finds the processes that can finish. They release all they hold, one after the other. */
final class Reduction {
  private final Node node;
  private final Hypothesis supposed;

  /** A request that counts as granted: it does not wait. */
  private final Optional<Waiter> done;

  private boolean contextsStay;

  private Reduction(Node node, Hypothesis supposed, Optional<Waiter> done) {
    this.node = node;
    this.supposed = supposed;
    this.done = done;
  }

  /** No process has released anything yet. */
  static Reduction start(Node node) {
    return withContexts(node, new long[node.devices.size()], Optional.empty());
  }

  /**
   * The same with additional bytes of contexts on each device, and with the request {@code done}
   * finished.
   */
  static Reduction withContexts(Node node, long[] bytes, Optional<Waiter> done) {
    return new Reduction(node, new Hypothesis(List.of(), bytes), done);
  }

  /** From here on {@code waiter} counts as granted, too. */
  Reduction afterGrant(Waiter waiter) {
    return afterGrants(List.of(waiter));
  }

  Reduction copy() {
    return afterGrants(List.of());
  }

  private Reduction afterGrants(List<Waiter> granted) {
    Reduction copy = new Reduction(node, supposed.afterGrant(granted), done);
    copy.contextsStay = contextsStay;
    return copy;
  }

  /** Processes that finish from now on keep their contexts. */
  Reduction besideContexts() {
    contextsStay = true;
    return this;
  }

  Sums sums() {
    return Sums.supposing(node, supposed);
  }

  /** The processes of this list that do not wait release everything. */
  Reduction letRunningGiveBack(Predicate<Client> who) {
    supposed.emptyJobsEnded |= !contextsStay;
    node.clients.stream()
        .filter(client -> who.test(client) && !waits(client))
        .forEach(this::giveBack);
    return this;
  }

  private boolean waits(Client client) {
    return node.waiters.stream().anyMatch(waiter -> waiter.client == client && isWaitedFor(waiter));
  }

  private boolean isWaitedFor(Waiter waiter) {
    return waiter.waits() && done.filter(granted -> granted == waiter).isEmpty();
  }

  private boolean giveBack(Client client) {
    if (!contextsStay) {
      supposed.without.add(client);
    }
    return supposed.gone.add(client);
  }

  /**
   * Repeats until nothing changes: each process of this list whose waiting request would fit
   * releases everything.
   */
  Reduction letServedGiveBack(Predicate<Client> who) {
    while (node.clients.stream().anyMatch(client -> who.test(client) && goesOn(client))) {}
    return this;
  }

  private boolean goesOn(Client client) {
    boolean served =
        !isGone(client)
            && node.waiters.stream()
                .filter(waiter -> waiter.client == client && isWaitedFor(waiter))
                .allMatch(this::isServed);
    return served && giveBack(client);
  }

  /** True if what a request needs is free by now. */
  boolean isServed(Waiter waiter) {
    boolean claims = waiter.isOndemandMemory() && waiter.job.hasClaim(node.rule);
    return new FitRules(node, sums()).needIsFree(waiter)
        && (!claims || new Safety(node, afterGrant(waiter)).isSafe());
  }

  /** As {@link #isServed}, but unreserved memory stays in use. */
  boolean isServedBesideUnreserved(Waiter waiter) {
    return new FitRules(node, sums().besideUnreserved()).needIsFree(waiter) && isServed(waiter);
  }

  /** The job got its whole max claim, and releases its memory. */
  void finish(Job job) {
    supposed.finished.add(job);
  }

  boolean isGone(Client client) {
    return supposed.gone.contains(client);
  }
}
