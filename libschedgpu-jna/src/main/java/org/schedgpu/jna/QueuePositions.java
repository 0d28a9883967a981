package org.schedgpu.jna;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** The positions of requests in their queues. */
final class QueuePositions {
  private final BitSet admitted = new BitSet(); // by job record
  private final int devices;

  QueuePositions(List<Job> jobs, int devices) {
    jobs.forEach(job -> admitted.set(job.record(), job.admitted()));
    this.devices = devices;
  }

  /** Oldest first; positions count the requests that wait in the same queue. */
  List<Waiter> of(List<Waiter> waiters) {
    List<Waiter> sorted = new ArrayList<>(waiters);
    sorted.sort(Comparator.comparingLong(Waiter::ticket));
    int[][] older =
        new int[2][devices]; // counts of waiters: in the context queue, and in the memory queue
    List<Waiter> placed = new ArrayList<>();
    for (Waiter waiter : sorted) {
      if (waiter.granted()) {
        placed.add(waiter);
        continue;
      }
      int[] queue = older[isApart(waiter) ? 0 : 1];
      placed.add(withPlace(waiter, 1 + queue[waiter.device()]));
      waiter.devices().forEach(device -> queue[device]++);
    }
    return Collections.unmodifiableList(placed);
  }

  /** Contexts, and all requests of jobs that are not admitted, have their own queue. */
  private boolean isApart(Waiter waiter) {
    return waiter.request() == Request.CONTEXT || !admitted.get(waiter.job());
  }

  private static Waiter withPlace(Waiter w, int place) {
    return new Waiter(
        w.client(),
        w.job(),
        w.device(),
        w.devices(),
        w.request(),
        w.priority(),
        w.granted(),
        place,
        w.ticket(),
        w.bytes(),
        w.sinceNs(),
        w.deadlineNs(),
        w.overtaken());
  }
}
