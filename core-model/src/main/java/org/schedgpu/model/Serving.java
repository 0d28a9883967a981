package org.schedgpu.model;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Serves queues until nobody more can be served. */
final class Serving {
  private final Node node;
  private final long nowNs;

  Serving(Node node, long nowNs) {
    this.node = node;
    this.nowNs = nowNs;
  }

  /** The queues of these devices, and of those on which this frees something. */
  void serve(Collection<Integer> devices) {
    TreeSet<Integer> served = new TreeSet<>(devices);
    boolean again = true;
    while (again) {
      again = false;
      for (int device : List.copyOf(served)) {
        again |= served.addAll(giveBackIdle(device));
        again |= serveOne(new Queue(device, Queue.Type.CONTEXT));
        again |= serveOne(new Queue(device, Queue.Type.MEMORY));
      }
    }
  }

  /** Grants the next request of the queue, if it is next in all of its queues. */
  private boolean serveOne(Queue queue) {
    Optional<Waiter> next = new Next(node).in(queue).filter(this::nextEverywhere);
    next.ifPresent(this::grant);
    return next.isPresent();
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
    for (Waiter waiter : node.waiters) {
      if (waiter.job == job
          && waiter.waits()
          && waiter.isContext()
          && Fits.now(node).covered(waiter)) {
        waiter.granted = true;
      }
    }
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
    Set<Integer> freed = new TreeSet<>();
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
        && node.waiters.stream().noneMatch(waiter -> waiter.job == job && waiter.granted);
  }

  private boolean inUse(Client client) {
    return node.allDevices().stream()
        .anyMatch(device -> client.usedWithin(device, node.graceNs, nowNs));
  }
}
