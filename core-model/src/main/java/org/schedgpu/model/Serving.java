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

  /** One pass, which ends when a request reaches the bound; true if somebody was granted. */
  private boolean serve(Queue queue) {
    Scan scan = new Scan(node, queue);
    boolean granted = false;
    boolean reached = false;
    Optional<Waiter> next = scan.next();
    while (!reached && next.filter(waiter -> isNextElsewhere(waiter, queue)).isPresent()) {
      reached = countOvertaking(next.get());
      grant(next.get());
      granted = true;
      next = scan.next();
    }
    return granted;
  }

  /** Whether it is next on all of its other devices. */
  private boolean isNextElsewhere(Waiter waiter, Queue queue) {
    return node.devicesOf(waiter).stream()
        .filter(d -> d != queue.device())
        .map(d -> new Scan(node, new Queue(d, queue.type())).next())
        .allMatch(next -> next.filter(first -> first == waiter).isPresent());
  }

  private void grant(Waiter waiter) {
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

  /** Whether a request has reached the bound by it. */
  private boolean countOvertaking(Waiter granted) {
    Queue.Type type = Queue.Type.of(granted);
    boolean reached = false;
    for (int device : node.devicesOf(granted)) {
      Waiter oldest = node.in(new Queue(device, type)).get(0);
      if (oldest.ticket < granted.ticket) {
        oldest.overtaken++;
        reached |= oldest.overtaken == node.overtakeLimit;
      }
    }
    return reached;
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
