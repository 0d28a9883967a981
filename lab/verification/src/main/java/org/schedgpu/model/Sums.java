package org.schedgpu.model;

import java.util.List;
import java.util.stream.Stream;

/**
 * The sums that the rules compare, either as the node is now or for a hypothesis: some processes
 * have released all they hold, some jobs their memory, or one request has been granted.
 */
final class Sums {
  private static final int MAX_DEVICES = 16;

  private final Node node;
  private final boolean supposed;
  private final boolean unreservedCounts;
  private final Hypothesis hypothesis;
  private final List<Waiter> asked;

  private Sums(
      Node node,
      boolean supposed,
      boolean unreservedCounts,
      Hypothesis hypothesis,
      List<Waiter> asked) {
    this.node = node;
    this.supposed = supposed;
    this.unreservedCounts = unreservedCounts;
    this.hypothesis = hypothesis;
    this.asked = asked;
  }

  private static Hypothesis nothing() {
    return new Hypothesis(List.of(), new long[MAX_DEVICES]);
  }

  /** As things are. */
  static Sums of(Node node) {
    return new Sums(node, false, true, nothing(), List.of());
  }

  /** The sums if {@code waiter}, which has just been made, were queued. */
  static Sums asking(Node node, Waiter waiter) {
    return new Sums(node, false, true, nothing(), List.of(waiter));
  }

  /** Leaves out unreserved memory, because its programs release it in the end. */
  static Sums supposing(Node node, Hypothesis hypothesis) {
    return new Sums(node, true, false, hypothesis, List.of());
  }

  /** The same sums, with the present unreserved memory added. */
  Sums besideUnreserved() {
    return new Sums(node, supposed, true, hypothesis, asked);
  }

  /**
   * The job gives its held budget back together with its first process that finishes, or at once if
   * it has no process.
   */
  boolean holds(Job job) {
    if (supposed && job.overflowWaits()) {
      return job.holds && node.clients.stream().anyMatch(client -> hasTaken(client, job));
    }
    return job.holds && !(supposed && (someGone(job) || !hasProcesses(job)));
  }

  /** True if a process that has not released everything uses a part of the job's budget. */
  private boolean hasTaken(Client client, Job job) {
    boolean granted =
        node.waiters.stream().anyMatch(w -> w.client == client && w.needsBudget() && w.granted)
            || hypothesis.given.stream().anyMatch(w -> w.client == client && w.needsBudget());
    return client.isOf(job) && !isGone(client) && (client.usesMemory() || granted);
  }

  boolean admitted(Job job) {
    return job.admitted && (someHaveContexts(job) || keepsAdmission(job));
  }

  /**
   * Mode gate: the library does not see the contexts of the programs, so they stay reserved beside
   * the budget.
   */
  private boolean keepsAdmission(Job job) {
    return job.spec.mode() == Mode.GATE
        && job.holds
        && !hasProcesses(job)
        && !hypothesis.emptyJobsEnded;
  }

  private boolean someGone(Job job) {
    return hypothesis.gone.stream().anyMatch(client -> client.isOf(job));
  }

  private boolean hasProcesses(Job job) {
    return node.clients.stream().anyMatch(client -> client.isOf(job));
  }

  private boolean someHaveContexts(Job job) {
    return node.clients.stream().anyMatch(client -> client.isOf(job) && hasContexts(client));
  }

  private boolean hasContexts(Client client) {
    return !hypothesis.without.contains(client);
  }

  /** Contexts of the job's processes, granted requests included. */
  long contextsOfProcesses(Job job, int device) {
    long bytes = 0;
    for (Client client : node.clients) {
      if (client.isOf(job) && hasContexts(client)) {
        bytes += client.contexts[device];
      }
    }
    for (Waiter waiter : node.waiters) {
      if (waiter.job == job
          && waiter.isContext()
          && waiter.device == device
          && waiter.granted
          && hasContexts(waiter.client)) {
        bytes += waiter.bytes;
      }
    }
    return bytes;
  }

  /** True if the memory that the request asks for is reserved for it. */
  private boolean counts(Waiter waiter) {
    return waiter.granted && !isGone(waiter.client);
  }

  private boolean isGone(Client client) {
    return hypothesis.gone.contains(client);
  }

  /**
   * Contexts of the job's processes; for an admitted job at least those that its admission
   * reserves.
   */
  long contexts(Job job, int device) {
    long bytes = contextsOfProcesses(job, device);
    return admitted(job) ? Math.max(bytes, job.admissionContexts(node.devices.get(device))) : bytes;
  }

  long contexts(int device) {
    long ofJobs = node.jobs.stream().mapToLong(job -> contexts(job, device)).sum();
    return ofJobs + hypothesis.newContexts(device);
  }

  long heldBudget(Job job, int device) {
    if (!holds(job)) {
      return 0;
    }
    boolean shrinks = supposed && job.overflowWaits();
    return shrinks ? heldAtLeast(job, device) : job.heldOnceItHolds(device);
  }

  /** The held budget that remains after growth that no process uses has been given back. */
  long heldAtLeast(Job job, int device) {
    return Math.max(job.wholeBudget(device), taken(job, device));
  }

  /** The part of the budget that is in use, or granted and not yet taken. */
  private long taken(Job job, int device) {
    long taken = inUse(job, device);
    for (Waiter waiter : node.waiters) {
      if (waiter.job == job && waiter.needsBudget() && waiter.device == device && counts(waiter)) {
        taken += waiter.bytes;
      }
    }
    for (Waiter waiter : hypothesis.given) {
      if (waiter.job == job
          && waiter.needsBudget()
          && waiter.device == device
          && !isGone(waiter.client)) {
        taken += waiter.bytes;
      }
    }
    return taken;
  }

  /** What the request needs beyond the free part of the held budget. */
  long lacks(Waiter waiter) {
    long taken = taken(waiter.job, waiter.device);
    long left = Math.max(0, heldBudget(waiter.job, waiter.device) - taken);
    return Math.max(0, waiter.bytes - left);
  }

  /** Memory in use by the job's processes. */
  long inUse(Job job, int device) {
    long bytes = 0;
    for (Client client : node.clients) {
      if (client.isOf(job) && !isGone(client)) {
        bytes += client.inUse[device];
      }
    }
    return bytes;
  }

  /** Mode ondemand: memory in use, or granted and not yet taken. */
  long memory(Job job, int device) {
    if (job.reservesBudget() || hypothesis.finished.contains(job)) {
      return 0;
    }
    long bytes = inUse(job, device);
    for (Waiter waiter : node.waiters) {
      if (asksMemory(waiter, job, device) && counts(waiter)) {
        bytes += waiter.bytes;
      }
    }
    for (Waiter waiter : hypothesis.given) {
      if (asksMemory(waiter, job, device) && !isGone(waiter.client)) {
        bytes += waiter.bytes;
      }
    }
    return bytes;
  }

  private static boolean asksMemory(Waiter waiter, Job job, int device) {
    return waiter.job == job && waiter.isOndemandMemory() && waiter.device == device;
  }

  /** Mode ondemand: memory that the job still waits for. */
  long queued(Job job, int device) {
    return node.waiters.stream()
        .filter(waiter -> waiter.waits() && asksMemory(waiter, job, device))
        .mapToLong(waiter -> waiter.bytes)
        .sum();
  }

  boolean holdsMemory(Job job) {
    return node.devices.stream().anyMatch(device -> memory(job, device.index()) > 0);
  }

  /** Memory in use that nobody reserved. */
  long unreserved(int device) {
    long overruns = node.jobs.stream().mapToLong(job -> job.overrun.getOrDefault(device, 0L)).sum();
    return overruns + node.foreign[device];
  }

  long used(int device) {
    long bytes = contexts(device) + (unreservedCounts ? unreserved(device) : 0);
    for (Job job : node.jobs) {
      bytes += heldBudget(job, device) + memory(job, device);
    }
    return bytes + lanesBytes(device);
  }

  private long lanesBytes(int device) {
    if (node.lanes.isEmpty()) { // most nodes; this is called for each sum
      return 0;
    }
    return node.lanes.values().stream()
        .filter(lane -> lane.device == device)
        .mapToLong(this::laneBytes)
        .sum();
  }

  /** The size of a lane: the largest ephemeral memory of its members. */
  long laneBytes(Lane lane) {
    return new Lanes(node)
        .members(lane).stream().filter(this::holds).mapToLong(Job::ephemeralBytes).max().orElse(0);
  }

  /** True if these are the sums of a hypothesis. */
  boolean supposed() {
    return supposed;
  }

  long usable(int device) {
    return node.devices.get(device).usableBytes();
  }

  long free(int device) {
    return Math.max(0, usable(device) - used(device));
  }

  /** M of the rules: the maximum over the admitted jobs and the job that asks. */
  long largestNeed(int device, Job asking) {
    return node.jobs.stream()
        .filter(job -> job == asking || admitted(job))
        .mapToLong(job -> need(job, device))
        .max()
        .orElse(0);
  }

  /** What must fit beside all contexts: B of the rules, or what the job has and waits for. */
  private long need(Job job, int device) {
    if (job.overflowWaits()) {
      return Math.max(job.budget(device), largestWithWhatItsProcessHas(job, device));
    }
    boolean whole = job.reservesBudget() || job.hasClaim(node.rule);
    return whole
        ? job.committed(device, node.rule)
        : memory(job, device) + largestQueued(job, device);
  }

  private long largestWithWhatItsProcessHas(Job job, int device) {
    return Stream.concat(node.waiters.stream(), asked.stream())
        .filter(waiter -> waiter.waits() && waiter.job == job && waiter.needsBudget())
        .filter(waiter -> waiter.device == device)
        .mapToLong(waiter -> waiter.client.inUse[device] + waiter.bytes)
        .max()
        .orElse(0);
  }

  private long largestQueued(Job job, int device) {
    return Stream.concat(node.waiters.stream(), asked.stream())
        .filter(waiter -> waiter.waits() && asksMemory(waiter, job, device))
        .mapToLong(waiter -> waiter.bytes)
        .max()
        .orElse(0);
  }
}
