package org.schedgpu.model;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What the rules suppose to have happened, in addition to what has happened. */
final class Hypothesis {
  /** Processes that released their memory. */
  final Set<Client> gone = new HashSet<>();

  /** And their contexts. */
  final Set<Client> without = new HashSet<>();

  /** Jobs that got their whole max claim and then released their memory. */
  final Set<Job> finished = new HashSet<>();

  /** Were granted. */
  final List<Waiter> given;

  /** Bytes of new contexts, per device. */
  private final long[] newContexts;

  /** True if jobs without processes have released their contexts. */
  boolean emptyJobsEnded;

  Hypothesis(List<Waiter> given, long[] newContexts) {
    this.given = List.copyOf(given);
    this.newContexts = newContexts.clone();
  }

  /** The same, with these requests granted as well; no process has finished. */
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
