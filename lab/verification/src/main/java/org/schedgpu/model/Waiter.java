package org.schedgpu.model;

/** A request: it waits, or is granted and not yet taken. */
final class Waiter {
  private static final long NEVER = Long.MIN_VALUE;

  /** The position in the order of requests; 0 while the request is not in a queue. */
  long ticket;

  final Client client;
  final Job job;
  final RequestKind kind;
  final int device;

  /** Of memory, or of the context; 0 for {@link RequestKind#GATE}. */
  final long bytes;

  boolean granted;

  /** The start of the wait, if the request was neither granted nor refused at once. */
  private long sinceNs = NEVER;

  /** The number of younger requests granted while this one was the oldest. */
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
    job.statistics.beginWait(nowNs);
  }

  /** Ends the wait, once: granted, given up, or removed. */
  void endWait(long nowNs) {
    if (sinceNs != NEVER) {
      job.statistics.endWait(sinceNs, nowNs);
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

  /** True if the request needs the job's budget. */
  boolean needsBudget() {
    return !isContext() && job.reservesBudget();
  }

  /** True if it asks for memory beyond a held budget. */
  boolean isOverflow() {
    return needsBudget() && job.overflowWaits() && job.holds && job.admitted;
  }

  /** What it needs of a device while the job does not hold its budget. */
  long needWithBudget(int other) {
    long more = job.overflowWaits() && other == device ? bytes : 0;
    return Math.max(job.budget(other), more);
  }

  boolean isOndemandMemory() {
    return kind == RequestKind.MEMORY && !job.reservesBudget();
  }

  /** True if it is in a queue of this device. */
  boolean standsOn(int other) {
    boolean everywhere = needsBudget() && !isOverflow();
    return everywhere ? job.has(other) : other == device;
  }

  boolean standsIn(Queue queue) {
    return waits() && standsOn(queue.device()) && Queue.Type.of(this) == queue.type();
  }
}
