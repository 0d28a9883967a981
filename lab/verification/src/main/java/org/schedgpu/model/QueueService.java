package org.schedgpu.model;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Serves the queues until no request can be granted (docs/reference/rules.md, "Serving"). */
final class QueueService {
  private final Node node;
  private final long nowNs;

  QueueService(Node node, long nowNs) {
    this.node = node;
    this.nowNs = nowNs;
  }

  /**
   * Serves turns, then the queues, then turns again, since a job may have left its lane. The
   * queues: goes from device to device, in rounds, until a round grants nothing.
   */
  void serve() {
    Turns turns = new Turns(node, nowNs);
    turns.serve();
    serveQueues();
    turns.serve();
    noteWhoHolds();
  }

  private void serveQueues() {
    boolean again = true;
    while (again) {
      again = false;
      for (int device : node.allDevices()) {
        again |= node.isNeeded(device) && serve(device);
      }
    }
  }

  private void noteWhoHolds() {
    Sums sums = Sums.of(node);
    for (Job job : node.jobs) {
      job.statistics.holds(job.holds || sums.holdsMemory(job), nowNs);
    }
  }

  private boolean serve(int device) {
    boolean more = giveBackIdle(device);
    more |= giveBackOverflow(device);
    more |= grantCovered(waiter -> waiter.job.admitted && waiter.device == device);
    more |= serve(new Queue(device, Queue.Type.CONTEXT));
    more |= serve(new Queue(device, Queue.Type.MEMORY));
    return more;
  }

  /**
   * One scan, which ends when a request reaches the limit on overtaking; true if a request was
   * granted.
   */
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

  /** True if the request is also the next one on all of its other devices. */
  private boolean isNextElsewhere(Waiter waiter, Queue queue) {
    return node.devicesOf(waiter).stream()
        .filter(d -> d != queue.device())
        .map(d -> new Scan(node, new Queue(d, queue.type())).next())
        .allMatch(next -> next.filter(first -> first == waiter).isPresent());
  }

  /**
   * A budget belongs to the job, so every request that waits for this budget alone continues, too.
   */
  private void grant(Waiter waiter) {
    Job job = waiter.job;
    if (!job.admitted) {
      admit(job);
      return;
    }
    boolean budget = waiter.needsBudget() && !job.holds;
    reserve(node, waiter, nowNs);
    waiter.grant(nowNs);
    if (budget) {
      grantAll(other -> other.job == job && FitRules.now(node).needsNothing(other));
    }
  }

  /**
   * Reserves what a request needs that fits. Contexts, and memory in mode ondemand, count from the
   * grant on.
   */
  static void reserve(Node node, Waiter waiter, long nowNs) {
    if (waiter.needsBudget() && !waiter.job.holds) {
      hold(node, waiter.job, nowNs);
    }
    if (waiter.isOverflow()) {
      waiter.job.grow(waiter.device, Sums.of(node).lacks(waiter));
    }
  }

  private static void hold(Node node, Job job, long nowNs) {
    if (job.isLaneJob()) {
      new Lanes(node).join(job, nowNs);
    }
    job.holds = true;
  }

  /** True if a request has reached the limit on overtaking because of this grant. */
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

  /** Grants the job's requests for contexts that its admission now covers. */
  private void admit(Job job) {
    job.admitted = true;
    grantCovered(waiter -> waiter.job == job);
  }

  /** Of these requests those for contexts that an admission has reserved, the oldest first. */
  private boolean grantCovered(Predicate<Waiter> which) {
    return grantAll(
        waiter -> waiter.isContext() && which.test(waiter) && FitRules.now(node).covered(waiter));
  }

  /** The oldest first; each is tested after those before it were granted. */
  private boolean grantAll(Predicate<Waiter> which) {
    boolean granted = false;
    for (Waiter waiter : node.waiters) {
      if (waiter.waits() && which.test(waiter)) {
        waiter.grant(nowNs);
        granted = true;
      }
    }
    return granted;
  }

  /**
   * True if there was unused growth. Jobs may wait for it although their requests are in other
   * queues.
   */
  private boolean giveBackOverflow(int device) {
    boolean some = false;
    for (Job job : node.jobs) {
      if (job.holds && job.overflowWaits() && job.has(device)) {
        long left = Sums.of(node).heldAtLeast(job, device) - job.budget(device);
        Long before = job.overflow.put(device, left);
        some |= before != null && before > left;
      }
    }
    return some;
  }

  /** Gives idle budgets of the device back, on all of their devices; true if there was one. */
  private boolean giveBackIdle(int device) {
    List<Job> idle =
        node.jobs.stream().filter(job -> job.holds && job.has(device) && idle(job)).toList();
    idle.forEach(this::giveBudgetBack);
    return !idle.isEmpty();
  }

  private void giveBudgetBack(Job job) {
    new Lanes(node).leave(job, nowNs);
    job.giveBudgetBack();
  }

  private boolean idle(Job job) {
    return job.spec.mode() == Mode.PEAK
        && !needsItsLane(job)
        && node.clients.stream().noneMatch(client -> client.isOf(job) && inUse(client))
        && node.waiters.stream()
            .noneMatch(waiter -> waiter.job == job && waiter.needsBudget() && waiter.granted);
  }

  /** A process of the job is in an iteration, waits for the turn, or maps the lane. */
  private boolean needsItsLane(Job job) {
    if (job.lane.isEmpty()) {
      return false;
    }
    boolean busy = job.lane.filter(lane -> lane.busy && lane.isHeldByProcessOf(job)).isPresent();
    boolean maps =
        node.clients.stream().anyMatch(client -> client.isOf(job) && client.mappedBytes > 0);
    return busy || maps || node.turnWaits.stream().anyMatch(wait -> wait.job == job);
  }

  private boolean inUse(Client client) {
    return node.allDevices().stream()
        .anyMatch(device -> client.usedWithin(device, node.graceNs, nowNs));
  }
}
