package org.schedgpu.model;

/** A request: it waits, or is granted and not yet taken. */
final class Waiter {
  private static final long NEVER = Long.MIN_VALUE;

  /** Place in the order of asking; 0 while it does not stand in a queue. */
  long ticket;

  final Client client;
  final Job job;
  final RequestKind kind;
  final int device;

  /** Of memory, or of the context; 0 for {@link RequestKind#GATE}. */
  final long bytes;

  boolean granted;

  /** Since when it waits, if it was neither served nor refused when it was asked for. */
  private long sinceNs = NEVER;

  /** Grants to younger ones while it was the oldest. */
  int overtaken;

  Waiter(Client client, Job job, RequestKind kind, int device, long bytes) {
    this.client = client;
    this.job = job;
    this.kind = kind;
    this.device = device;
    this.bytes = bytes;
  }

  void beginWait(long nowNs) {
    sinceNs = nowNs;
  }

  /** Granted, given up, or gone: once. */
  void endWait(long nowNs) {
    if (sinceNs != NEVER) {
      job.statistics.waited(nowNs - sinceNs);
    }
    sinceNs = NEVER;
  }

  void grant(long nowNs) {
    granted = true;
    endWait(nowNs);
  }

  boolean waits() {
    return !granted;
  }

  boolean isContext() {
    return kind == RequestKind.CONTEXT;
  }

  /** Needs the job's budget. */
  boolean needsBudget() {
    return !isContext() && job.reservesBudget();
  }

  /** Memory beyond a budget that is held. */
  boolean isOverflow() {
    return needsBudget() && job.overflowWaits() && job.holds && job.admitted;
  }

  /** What it needs of a device while the job does not hold. */
  long needWithBudget(int other) {
    long more = job.overflowWaits() && other == device ? bytes : 0;
    return Math.max(job.budget(other), more);
  }

  boolean isOndemandMemory() {
    return kind == RequestKind.MEMORY && !job.reservesBudget();
  }

  /** Whether it stands in a queue of this device. */
  boolean standsOn(int other) {
    boolean everywhere = needsBudget() && !isOverflow();
    return everywhere ? job.has(other) : other == device;
  }

  boolean standsIn(Queue queue) {
    return waits() && standsOn(queue.device()) && Queue.Type.of(this) == queue.type();
  }
}
