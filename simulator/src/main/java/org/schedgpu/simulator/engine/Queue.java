package org.schedgpu.simulator.engine;

import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import org.schedgpu.simulator.job.Job;

/** Jobs that the cluster's scheduler has not started, as indexes into the list of all. */
final class Queue implements Iterable<Integer> {
  private final TreeSet<Integer> waiting;

  /**
   * @param jobs by submission
   * @param byPriority true if a higher priority comes first; otherwise in the order of submission
   */
  Queue(List<Job> jobs, boolean byPriority) {
    Comparator<Integer> order = Comparator.naturalOrder();
    if (byPriority) {
      order =
          Comparator.<Integer>comparingLong(i -> jobs.get(i).priority())
              .reversed()
              .thenComparing(order);
    }
    waiting = new TreeSet<>(order);
  }

  void add(int job) {
    waiting.add(job);
  }

  /** -1 if nothing waits. */
  int first() {
    return waiting.isEmpty() ? -1 : waiting.first();
  }

  int size() {
    return waiting.size();
  }

  @Override
  public Iterator<Integer> iterator() {
    return waiting.iterator();
  }
}
