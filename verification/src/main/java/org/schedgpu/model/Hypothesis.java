package org.schedgpu.model;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What is supposed to have happened, beyond what has. */
final class Hypothesis {
  /** Gave back their memory. */
  final Set<Client> gone = new HashSet<>();

  /** And their contexts. */
  final Set<Client> without = new HashSet<>();

  /** Got all they may claim, and gave back their memory. */
  final Set<Job> finished = new HashSet<>();

  /** Were granted. */
  final List<Waiter> given;

  /** Bytes of new contexts, per device. */
  private final long[] newContexts;

  /** Jobs without processes gave back their contexts. */
  boolean emptyJobsEnded;

  Hypothesis(List<Waiter> given, long[] newContexts) {
    this.given = List.copyOf(given);
    this.newContexts = newContexts.clone();
  }

  /** The same, and these granted, too; nobody has finished. */
  Hypothesis afterGrant(List<Waiter> granted) {
    List<Waiter> all = Stream.concat(given.stream(), granted.stream()).toList();
    Hypothesis copy = new Hypothesis(all, newContexts);
    copy.gone.addAll(gone);
    copy.without.addAll(without);
    copy.emptyJobsEnded = emptyJobsEnded;
    return copy;
  }

  long newContexts(int device) {
    return newContexts[device];
  }
}
