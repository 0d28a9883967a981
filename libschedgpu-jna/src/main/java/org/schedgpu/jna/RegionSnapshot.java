package org.schedgpu.jna;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A consistent snapshot of the region. Users may be able to write the region, so every number is
 * checked: impossible values are left out and named in {@link #damage()}.
 *
 * @param version layout version
 * @param policy the policy that chooses the next waiter; empty if damaged
 * @param overtakeLimit how often the oldest waiter may be overtaken; 0 = no limit
 * @param deadlockRule what happens when a job that holds memory asks for more; empty if damaged
 * @param graceNs how long a budget of mode peak stays reserved after its last use while others wait
 * @param createdNs when the region was made
 * @param recoveries locks taken over from dead owners
 * @param reapedClients dead processes removed so far
 * @param grants waiters served so far
 * @param refusals refused allocations so far, of all jobs
 * @param devices by index
 * @param jobs by record
 * @param clients by record
 * @param waiters oldest first
 * @param lanes by record
 * @param turns the processes that wait for the turn of their lane, oldest first
 * @param ended the last ended jobs, oldest first; read when first asked for
 * @param damage impossible values, in words; empty if all is well
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
    List<Lane> lanes,
    List<Turn> turns,
    List<EndedJob> ended,
    List<String> damage) {

  /** A snapshot without lanes. */
  public RegionSnapshot(
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
    this(
        version,
        policy,
        overtakeLimit,
        deadlockRule,
        graceNs,
        createdNs,
        recoveries,
        reapedClients,
        grants,
        refusals,
        devices,
        jobs,
        clients,
        waiters,
        List.of(),
        List.of(),
        ended,
        damage);
  }

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
    /** The bytes that jobs can get. */
    public long usableBytes() {
      return Math.max(0, totalBytes - reservedBytes);
    }

    /** True if the emulator stands in for a GPU. */
    public boolean emulated() {
      return name.startsWith("Emulated");
    }
  }

  /**
   * A registered job.
   *
   * @param record number of its record
   * @param processes how many of its processes use a device at once
   * @param admitted true if their contexts are reserved on each of its devices
   * @param ending true while it is being removed
   * @param owned true if it ends together with its owner and its processes
   * @param dead true if these are gone: the next process that checks ends the job
   * @param waitNs how long its allocations wait, or {@link JobSpec#FOREVER}
   * @param budgetBytes of each of its devices; 0 = none declared
   * @param heldBytes the budget reserved now, on each device where it is reserved
   * @param overrunBytes in use by its processes beyond all that it holds, on the devices where that
   *     is not 0
   * @param peakBytes the most that its programs had allocated, without contexts, on the devices
   *     where that is not 0
   * @param figures so far
   * @param refusals refused allocations of its programs so far
   * @param lane if it takes turns with others; {@code heldBytes} is then its persistent memory
   * @param contextPeakBytes the most of its processes' contexts, on the devices where that is not 0
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
      JobFigures figures,
      Refusals refusals,
      Optional<JobLane> lane,
      SortedMap<Integer, Long> contextPeakBytes)
      implements HasFigures {
    /** A job without a lane, which had no context. */
    public Job(
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
        JobFigures figures,
        Refusals refusals) {
      this(
          record,
          kind,
          id,
          uid,
          name,
          mode,
          processes,
          admitted,
          priority,
          ending,
          owned,
          dead,
          begunNs,
          waitNs,
          budgetBytes,
          heldBytes,
          overrunBytes,
          peakBytes,
          figures,
          refusals,
          Optional.empty(),
          new TreeMap<>());
    }

    /** As in {@code SCHEDGPU_JOB}. */
    public String reference() {
      return kind.text() + ":" + id;
    }
  }

  /**
   * An attached process.
   *
   * @param job record of its job; empty for root's commands
   * @param pid for display, in its own PID namespace
   * @param contextBytes of its CUDA contexts, on the devices where it has any
   * @param leasedBytes reserved for it, on the devices where that is not 0
   * @param inUseBytes allocated by it, on the devices where that is not 0
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

  /**
   * Memory that its members use in turns.
   *
   * @param bytes the largest ephemeral memory of its members
   * @param members jobs that are assigned to it
   * @param holder record of the process that has the turn; empty: nobody has it
   * @param busy true if the holder is inside an iteration
   * @param sinceNs when the holder began its present iteration, or its last one if it is in none
   * @param endedNs how long the holder was in iterations that have ended, since it got the turn
   * @param idleSinceNs when a process of the lane ended its last iteration
   * @param waiting processes that wait for the turn
   * @param switches turns that went from one process to another
   */
  public record Lane(
      int record,
      int device,
      LanePolicy policy,
      long bytes,
      long members,
      Optional<Integer> holder,
      boolean busy,
      long sinceNs,
      long endedNs,
      long idleSinceNs,
      long waiting,
      long switches) {
    /** An idle turn goes to a waiter within milliseconds; a busy node may need longer. */
    private static final long KEPT_NS = 1_000_000_000L;

    /**
     * How long the turn has been idle although others wait for it: the job of the holder keeps more
     * memory between iterations than it declared and than is free. 0: that is not so.
     *
     * @param nowNs as {@link RegionSnapshot#nowNs()}
     */
    public long keptNs(long nowNs) {
      boolean idle = holder.isPresent() && !busy && waiting > 0;
      return idle && nowNs - idleSinceNs >= KEPT_NS ? nowNs - idleSinceNs : 0;
    }

    /**
     * How long the holder has been in iterations since it got the turn; 0 if nobody has it.
     *
     * @param nowNs as {@link RegionSnapshot#nowNs()}
     */
    public long servedNs(long nowNs) {
      if (holder.isEmpty()) {
        return 0;
      }
      return endedNs + (busy ? Math.max(0, nowNs - sinceNs) : 0);
    }
  }

  /**
   * A process that waits for the turn of its job's lane, or got it and has not taken it yet.
   *
   * @param client record of the process
   * @param job record of its job
   * @param overtaken turns given to younger ones while it was the oldest
   */
  public record Turn(
      int client, int job, boolean granted, long ticket, long sinceNs, long overtaken) {}

  /** The job of a record, if it is there. */
  public Optional<Job> job(int record) {
    for (Job job : jobs) { // kept, because callers ask for each request of a full node
      if (job.record() == record) {
        return Optional.of(job);
      }
    }
    return Optional.empty();
  }
}
