package org.schedgpu.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Serves queues until nobody more can be served. */
final class Serving {
  private final Node node;
  private final long nowNs;

  Serving(Node node, long nowNs) {
    this.node = node;
    this.nowNs = nowNs;
  }

  /** Device by device, round after round until a round grants nothing. */
  void serve() {
    boolean again = true;
    while (again) {
      again = false;
      for (int device : node.allDevices()) {
        again |= somebodyNeeds(device) && serve(device);
      }
    }
    noteWhoHolds();
  }

  private void noteWhoHolds() {
    Accounts accounts = Accounts.of(node);
    for (Job job : node.jobs) {
      job.past.holds(job.holds || accounts.holdsMemory(job), nowNs);
    }
  }

  /** A job that is not admitted has to fit on each of its devices, wherever its requests stand. */
  private boolean somebodyNeeds(int device) {
    return node.waiters.stream()
        .filter(Waiter::waits)
        .anyMatch(w -> w.standsOn(device) || (!w.job.admitted && w.job.has(device)));
  }

  private boolean serve(int device) {
    boolean more = giveBackIdle(device);
    more |= giveBackOverflow(device);
    more |= grantCovered(waiter -> waiter.job.admitted && waiter.device == device);
    more |= serve(new Queue(device, Queue.Type.CONTEXT));
    more |= serve(new Queue(device, Queue.Type.MEMORY));
    return more;
  }

  /** Until nobody in the queue is next; true if somebody was. */
  private boolean serve(Queue queue) {
    boolean granted = false;
    Optional<Waiter> next = nextEverywhere(queue);
    while (next.isPresent()) {
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
    } else if (waiter.needsBudget() && waiter.job.overflowWaits()) {
      grantWithOverflow(waiter);
    } else if (waiter.needsBudget()) {
      grantBudget(waiter.job);
    } else {
      waiter.grant(nowNs);
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
        waiter.grant(nowNs);
        granted = true;
      }
    }
    return granted;
  }

  private void grantBudget(Job job) {
    job.holds = true;
    for (Waiter waiter : node.waiters) {
      if (waiter.job == job && waiter.needsBudget()) {
        waiter.grant(nowNs);
      }
    }
  }

  /** What it lacks; and if the job did not hold, its others that lack nothing then. */
  private void grantWithOverflow(Waiter waiter) {
    Job job = waiter.job;
    boolean held = job.holds;
    job.holds = true;
    job.grow(waiter.device, Accounts.of(node).lacks(waiter));
    waiter.grant(nowNs);
    for (Waiter other : node.waiters) {
      boolean left = !held && other.job == job && other.needsBudget() && other.waits();
      if (left && Accounts.of(node).lacks(other) == 0) {
        other.grant(nowNs);
      }
    }
  }

  /** True if there was some: jobs may wait for it whose requests stand elsewhere. */
  private boolean giveBackOverflow(int device) {
    boolean some = false;
    for (Job job : node.jobs) {
      if (job.holds && job.overflowWaits() && job.has(device)) {
        long left = Accounts.of(node).heldAtLeast(job, device) - job.budget(device);
        Long before = job.overflow.put(device, left);
        some |= before != null && before > left;
      }
    }
    return some;
  }

  /** Idle budgets of the device are given back, on all of their devices; true if there was one. */
  private boolean giveBackIdle(int device) {
    List<Job> idle =
        node.jobs.stream().filter(job -> job.holds && job.has(device) && idle(job)).toList();
    idle.forEach(Job::giveBudgetBack);
    return !idle.isEmpty();
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
