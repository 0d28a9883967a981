package org.schedgpu.model;

import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Serves queues until nobody more can be served. */
final class Serving {
  private final Node node;
  private final long nowNs;

  Serving(Node node, long nowNs) {
    this.node = node;
    this.nowNs = nowNs;
  }

  /**
   * Serves these devices, those on which this frees something, those of what is granted, and every
   * device where somebody waits in the context queue: an admission looks at several devices.
   */
  void serve(Collection<Integer> devices) {
    Set<Integer> concerned = new HashSet<>(devices);
    boolean again = true;
    while (again) {
      again = false;
      for (int device : node.allDevices()) {
        again |= isServed(device, concerned) && serve(device, concerned);
      }
    }
  }

  private boolean isServed(int device, Set<Integer> concerned) {
    boolean memory = !node.nobodyWaitsIn(new Queue(device, Queue.Type.MEMORY));
    return (memory && concerned.contains(device))
        || !node.nobodyWaitsIn(new Queue(device, Queue.Type.CONTEXT));
  }

  private boolean serve(int device, Set<Integer> concerned) {
    boolean more = concerned.addAll(giveBackIdle(device));
    more |= grantCovered(waiter -> waiter.job.admitted && waiter.device == device);
    more |= serve(new Queue(device, Queue.Type.CONTEXT), concerned);
    more |= serve(new Queue(device, Queue.Type.MEMORY), concerned);
    return more;
  }

  /** Until nobody in the queue is next; true if somebody was. */
  private boolean serve(Queue queue, Set<Integer> concerned) {
    boolean granted = false;
    Optional<Waiter> next = nextEverywhere(queue);
    while (next.isPresent()) {
      concerned.addAll(node.devicesOf(next.get()));
      grant(next.get());
      granted = true;
      next = nextEverywhere(queue);
    }
    return granted;
  }

  /** The next request of the queue, if it is next in all of its queues. */
  private Optional<Waiter> nextEverywhere(Queue queue) {
    return new Next(node).in(queue).filter(this::nextEverywhere);
  }

  private boolean nextEverywhere(Waiter waiter) {
    Queue.Type type = Queue.Type.of(waiter);
    Next next = new Next(node);
    return node.devicesOf(waiter).stream()
        .allMatch(d -> next.in(new Queue(d, type)).filter(first -> first == waiter).isPresent());
  }

  private void grant(Waiter waiter) {
    countOvertaking(waiter);
    if (!waiter.job.admitted) {
      admit(waiter.job);
    } else if (waiter.needsBudget()) {
      grantBudget(waiter.job);
    } else {
      waiter.granted = true;
    }
  }

  private void countOvertaking(Waiter granted) {
    Queue.Type type = Queue.Type.of(granted);
    for (int device : node.devicesOf(granted)) {
      Waiter oldest = node.in(new Queue(device, type)).get(0);
      if (oldest.ticket < granted.ticket) {
        oldest.overtaken++;
      }
    }
  }

  /** Its requests for contexts that are covered now are granted with it. */
  private void admit(Job job) {
    job.admitted = true;
    grantCovered(waiter -> waiter.job == job);
  }

  /** Of these requests, those for contexts that an admission has reserved, the oldest first. */
  private boolean grantCovered(Predicate<Waiter> which) {
    boolean granted = false;
    for (Waiter waiter : node.waiters) {
      if (waiter.waits()
          && waiter.isContext()
          && which.test(waiter)
          && Fits.now(node).covered(waiter)) {
        waiter.granted = true;
        granted = true;
      }
    }
    return granted;
  }

  private void grantBudget(Job job) {
    job.holds = true;
    for (Waiter waiter : node.waiters) {
      if (waiter.job == job && waiter.needsBudget()) {
        waiter.granted = true;
      }
    }
  }

  /** Idle budgets of the device are given back; the devices on which that frees something. */
  private Set<Integer> giveBackIdle(int device) {
    Set<Integer> freed = new HashSet<>();
    for (Job job : node.jobs) {
      if (job.holds && job.has(device) && idle(job)) {
        job.holds = false;
        freed.addAll(node.devicesOf(job));
      }
    }
    return freed;
  }

  private boolean idle(Job job) {
    return job.spec.mode() == Mode.PEAK
        && node.clients.stream().noneMatch(client -> client.isOf(job) && inUse(client))
        && node.waiters.stream()
            .noneMatch(waiter -> waiter.job == job && waiter.needsBudget() && waiter.granted);
  }

  private boolean inUse(Client client) {
    return node.allDevices().stream()
        .anyMatch(device -> client.usedWithin(device, node.graceNs, nowNs));
  }
}
