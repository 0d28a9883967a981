package org.schedgpu.model;

import java.util.List;
import java.util.stream.Stream;

/**
 * The sums of the rules, as things are or as they would be: if some processes had given back all
 * they hold, some jobs their memory, and if one request had been granted.
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

  /** As if {@code waiter}, which is just asked for, waited. */
  static Sums asking(Node node, Waiter waiter) {
    return new Sums(node, false, true, nothing(), List.of(waiter));
  }

  /** Without outside memory: it comes back. */
  static Sums supposing(Node node, Hypothesis hypothesis) {
    return new Sums(node, true, false, hypothesis, List.of());
  }

  /** The same, beside the outside memory that there is. */
  Sums besideUnreserved() {
    return new Sums(node, supposed, true, hypothesis, asked);
  }

  /** A held budget is given back with the first process of the job, or if there is none. */
  boolean holds(Job job) {
    if (supposed && job.overflowWaits()) {
      return job.holds && node.clients.stream().anyMatch(client -> hasTaken(client, job));
    }
    return job.holds && !(supposed && (someGone(job) || !hasProcesses(job)));
  }

  /** Whether a process that has not given back all has a part of the job's budget. */
  private boolean hasTaken(Client client, Job job) {
    boolean granted =
        node.waiters.stream().anyMatch(w -> w.client == client && w.needsBudget() && w.granted)
            || hypothesis.given.stream().anyMatch(w -> w.client == client && w.needsBudget());
    return client.isOf(job) && !isGone(client) && (client.usesMemory() || granted);
  }

  boolean admitted(Job job) {
    return job.admitted && (someHaveContexts(job) || keepsAdmission(job));
  }

  /** A gate's programs are not seen: their contexts stay reserved beside its budget. */
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

  /** Of its processes, granted ones included. */
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

  /** Whether the memory it asks for is reserved for it. */
  private boolean counts(Waiter waiter) {
    return waiter.granted && !isGone(waiter.client);
  }

  private boolean isGone(Client client) {
    return hypothesis.gone.contains(client);
  }

  /** Of its processes; of an admitted job at least those that its admission reserves. */
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

  /** What is left when overflow that is not taken is given back. */
  long heldAtLeast(Job job, int device) {
    return Math.max(job.wholeBudget(device), taken(job, device));
  }

  /** Of its budget: in use, or granted and not yet taken. */
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

  /** What the request needs beyond what is left of the held budget. */
  long lacks(Waiter waiter) {
    long taken = taken(waiter.job, waiter.device);
    long left = Math.max(0, heldBudget(waiter.job, waiter.device) - taken);
    return Math.max(0, waiter.bytes - left);
  }

  /** In use by its processes. */
  long inUse(Job job, int device) {
    long bytes = 0;
    for (Client client : node.clients) {
      if (client.isOf(job) && !isGone(client)) {
        bytes += client.inUse[device];
      }
    }
    return bytes;
  }

  /** Of an ondemand job: in use, and granted and not yet taken. */
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

  /** What an ondemand job still waits for. */
  long queued(Job job, int device) {
    return node.waiters.stream()
        .filter(waiter -> waiter.waits() && asksMemory(waiter, job, device))
        .mapToLong(waiter -> waiter.bytes)
        .sum();
  }

  boolean holdsMemory(Job job) {
    return node.devices.stream().anyMatch(device -> memory(job, device.index()) > 0);
  }

  /** In use, and reserved by nobody. */
  long unreserved(int device) {
    long overruns = node.jobs.stream().mapToLong(job -> job.overrun.getOrDefault(device, 0L)).sum();
    return overruns + node.foreign[device];
  }

  long used(int device) {
    long bytes = contexts(device) + (unreservedCounts ? unreserved(device) : 0);
    for (Job job : node.jobs) {
      bytes += heldBudget(job, device) + memory(job, device);
    }
    return bytes;
  }

  long usable(int device) {
    return node.devices.get(device).usableBytes();
  }

  long free(int device) {
    return Math.max(0, usable(device) - used(device));
  }

  /** M of the rules: among the admitted jobs and the one that asks. */
  long largestNeed(int device, Job asking) {
    return node.jobs.stream()
        .filter(job -> job == asking || admitted(job))
        .mapToLong(job -> need(job, device))
        .max()
        .orElse(0);
  }

  /** What must fit beside all contexts: B, or what the job has and waits for. */
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
