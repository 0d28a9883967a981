package org.schedgpu.model;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Who could finish, one after the other: processes that do not wait give back all they hold, then
 * those whose need is free by then.
 */
final class Endings {
  private final Node node;
  private final Accounts start;
  private final Predicate<Client> who;
  private final Set<Client> gone = new HashSet<>();

  /** Of the processes {@code who}; begins with those that do not wait. */
  Endings(Node node, Accounts start, Predicate<Client> who) {
    this.node = node;
    this.start = start;
    this.who = who;
    node.clients.stream()
        .filter(client -> who.test(client) && !node.waits(client))
        .forEach(gone::add);
  }

  Accounts accounts() {
    return start.without(gone);
  }

  /** These finish, too. */
  void finish(Predicate<Client> also) {
    node.clients.stream().filter(also).forEach(gone::add);
  }

  /** Lets everybody finish who can. */
  Endings letAllFinish() {
    while (letSomeFinish()) {}
    return this;
  }

  /** One round; true if somebody more has finished. */
  boolean letSomeFinish() {
    Fits fits = new Fits(node, accounts());
    boolean more = false;
    for (Waiter waiter : node.waiters) {
      if (waiter.waits()
          && who.test(waiter.client)
          && !gone.contains(waiter.client)
          && fits.needIsFree(waiter)) {
        gone.add(waiter.client);
        more = true;
        fits = new Fits(node, accounts());
      }
    }
    return more;
  }

  boolean finished(Client client) {
    return gone.contains(client);
  }
}
