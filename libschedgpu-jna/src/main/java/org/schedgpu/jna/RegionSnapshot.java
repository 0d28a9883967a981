package org.schedgpu.jna;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A consistent picture of the region. The region may be writable by users, so every number in it is
 * checked: what cannot be right is left out and named in {@link #damage()}.
 *
 * @param version layout version
 * @param policy which waiter is next; empty if damaged
 * @param overtakeLimit how often the oldest waiter may be overtaken; 0 = no limit
 * @param deadlockRule what is done about jobs that hold memory and ask for more; empty if damaged
 * @param graceNs how long a peak reservation outlives its last use while others wait
 * @param createdNs when the region was made
 * @param recoveries locks taken over from the dead
 * @param reapedClients dead processes removed so far
 * @param grants waiters served so far
 * @param refusals allocations refused so far, of all jobs
 * @param devices by index
 * @param jobs by record
 * @param clients by record
 * @param waiters oldest first
 * @param ended the last jobs that ended, oldest first; read when they are first asked for
 * @param damage what cannot be right, in words; empty if all is well
 */
public record RegionSnapshot(
    long version,
    Optional<Policy> policy,
    long overtakeLimit,
    Optional<DeadlockRule> deadlockRule,
    long graceNs,
    long createdNs,
    long recoveries,
    long reapedClients,
    long grants,
    long refusals,
    List<Device> devices,
    List<Job> jobs,
    List<Client> clients,
    List<Waiter> waiters,
    List<EndedJob> ended,
    List<String> damage) {

  /** Nanoseconds on the clock of all times in the region (CLOCK_MONOTONIC). */
  public static long nowNs() {
    return System.nanoTime();
  }

  /**
   * A physical GPU.
   *
   * @param usedBytes contexts, held budgets, memory of ondemand jobs, and outside memory: overruns
   *     of jobs and what is foreign; by that it may be more than there is
   * @param foreignBytes in use by programs of no job
   */
  public record Device(
      int index,
      String uuid,
      String name,
      long totalBytes,
      long reservedBytes,
      long contextBytes,
      long usedBytes,
      long foreignBytes) {
    /** What jobs can get of it. */
    public long usableBytes() {
      return Math.max(0, totalBytes - reservedBytes);
    }

    /** Whether our emulator stands in for a GPU. */
    public boolean emulated() {
      return name.startsWith("Emulated");
    }
  }

  /**
   * A registered job.
   *
   * @param record number of its record
   * @param processes how many of its processes use a device at once
   * @param admitted whether their contexts are reserved on each of its devices
   * @param ending whether it is being removed
   * @param owned whether it ends when its owner and its processes are gone
   * @param dead whether those are gone, and the next process that looks ends it
   * @param waitNs how long its allocations wait, or {@link JobSpec#FOREVER}
   * @param budgetBytes of each of its devices; 0 = none declared
   * @param heldBytes the budget of each device of which it is reserved now
   * @param overrunBytes in use by its processes beyond all that it holds, on the devices where it
   *     is
   * @param peakBytes most that its processes had in use, contexts included, on the devices where
   *     that was anything
   * @param waitedNs sum of its waits that are over
   * @param waits how many those are
   * @param heldNs how long it held memory of any device so far
   * @param refusals what its programs were refused so far
   */
  public record Job(
      int record,
      JobKind kind,
      long id,
      int uid,
      String name,
      Mode mode,
      long processes,
      boolean admitted,
      int priority,
      boolean ending,
      boolean owned,
      boolean dead,
      long begunNs,
      long waitNs,
      SortedMap<Integer, Long> budgetBytes,
      SortedMap<Integer, Long> heldBytes,
      SortedMap<Integer, Long> overrunBytes,
      SortedMap<Integer, Long> peakBytes,
      long waitedNs,
      int waits,
      long heldNs,
      Refusals refusals) {
    /** As in {@code SCHEDGPU_JOB}. */
    public String reference() {
      return kind.text() + ":" + id;
    }
  }

  /**
   * An attached process.
   *
   * @param job record of its job; empty for root's tools
   * @param pid for display; as its own namespace numbers it
   * @param contextBytes of its CUDA contexts, on the devices where it has any
   * @param leasedBytes reserved for it, on the devices where that is anything
   * @param inUseBytes allocated by it, on the devices where that is anything
   */
  public record Client(
      int record,
      Optional<Integer> job,
      int pid,
      long pidNamespace,
      SortedMap<Integer, Long> contextBytes,
      SortedMap<Integer, Long> leasedBytes,
      SortedMap<Integer, Long> inUseBytes) {}

  /** What a waiter asks for. */
  public enum Request {
    /** The whole budget of a job, in the modes peak and gate. */
    PEAK,
    /** Memory of an ondemand job. */
    ONDEMAND,
    /** A CUDA context. */
    CONTEXT
  }

  /**
   * A request that does not fit yet, or was granted and not yet taken.
   *
   * @param client record of the process that waits
   * @param job record of its job
   * @param device that the request is about
   * @param devices that must have room
   * @param place in its queue, 1 = oldest; 0 if granted
   * @param deadlineNs when it gives up; empty = never
   * @param overtaken grants to younger waiters while it was the oldest
   */
  public record Waiter(
      int client,
      int job,
      int device,
      List<Integer> devices,
      Request request,
      int priority,
      boolean granted,
      int place,
      long ticket,
      long bytes,
      long sinceNs,
      Optional<Long> deadlineNs,
      long overtaken) {}

  /** The job of a record, if it is there. */
  public Optional<Job> job(int record) {
    for (Job job : jobs) { // asked for each request of a full node
      if (job.record() == record) {
        return Optional.of(job);
      }
    }
    return Optional.empty();
  }
}
