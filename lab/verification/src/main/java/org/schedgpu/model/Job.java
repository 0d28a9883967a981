package org.schedgpu.model;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A job: its processes share its budget. */
final class Job {
  JobSpec spec;

  /**
   * Present if the job was begun as owned: it ends when this process and all processes of the job
   * have ended.
   */
  final Optional<Client> owner;

  /** True if the job's contexts are reserved on all of its devices: the job may wait for memory. */
  boolean admitted;

  /** True if the budget is reserved on all of the job's devices. */
  boolean holds;

  /** The overrun per device: what the job's processes use beyond all that the job holds. */
  final Map<Integer, Long> overrun = new HashMap<>();

  /** The growth of the held budget, per device. */
  final Map<Integer, Long> overflow = new HashMap<>();

  /** Present while a lane job holds. */
  Optional<Lane> lane = Optional.empty();

  /** The order in which the members of a lane joined it. */
  long joined;

  /** The time of its processes' iterations, without those of the present turn. */
  long serviceNs;

  /** What it keeps between iterations beyond its declared persistent memory, while it holds. */
  long moreKeptBytes;

  /** Its members map one memory: it has no ephemeral memory of its own. */
  boolean sharesLane;

  final JobStatistics statistics = new JobStatistics();

  Job(JobSpec spec, Optional<Client> owner) {
    this.spec = spec;
    this.owner = owner;
  }

  long id() {
    return spec.id();
  }

  boolean has(int device) {
    return (spec.deviceMask() >> device & 1) == 1;
  }

  /** Modes peak and gate reserve the budget as a whole. */
  boolean reservesBudget() {
    return spec.mode() != Mode.ONDEMAND;
  }

  /** Bytes, rounded up; 0 = none declared. */
  long budget(int device) {
    return has(device) ? Units.roundUp(spec.budgetBytes().get(device)) : 0;
  }

  /** What is reserved of the device as a whole when the job holds. */
  long wholeBudget(int device) {
    return reservesBudget() ? budget(device) : 0;
  }

  /**
   * What the job holds of a device while it holds: its budget and the growth of that budget, or its
   * persistent memory.
   */
  long heldOnceItHolds(int device) {
    return isLaneJob() && has(device)
        ? keptBytes()
        : wholeBudget(device) + overflow.getOrDefault(device, 0L);
  }

  /** The held budget grows. */
  void grow(int device, long bytes) {
    overflow.merge(device, bytes, Long::sum);
  }

  void giveBudgetBack() {
    holds = false;
    overflow.clear();
    moreKeptBytes = 0;
  }

  boolean isLaneJob() {
    return spec.lane().isPresent();
  }

  LaneSpec laneSpec() {
    return spec.lane().orElseThrow();
  }

  /** The only device of a lane job. */
  int laneDevice() {
    return Integer.numberOfTrailingZeros(spec.deviceMask());
  }

  /** P of a lane job: what it may use without the turn. */
  long keptBytes() {
    return Units.roundUp(laneSpec().persistentBytes()) + moreKeptBytes;
  }

  /** What its processes may have by themselves. */
  long ownBudget(int device) {
    return sharesLane ? keptBytes() : budget(device);
  }

  /** Whom it may share a lane with: those of its user that do the same, or all that do not. */
  Optional<Integer> sharers() {
    return sharesLane ? Optional.of(spec.uid()) : Optional.empty();
  }

  /** E of a lane job: what it may use only during its turn. */
  long ephemeralBytes() {
    return budget(laneDevice()) - keptBytes();
  }

  /** The service, including the present turn. */
  long serviceNs(long nowNs) {
    boolean hasTurn = lane.filter(l -> l.isHeldByProcessOf(this)).isPresent();
    return serviceNs + (hasTurn ? lane.get().hadNs(nowNs) : 0);
  }

  /** Rounded down. */
  long servicePerShare(long nowNs) {
    return serviceNs(nowNs) / laneSpec().share();
  }

  boolean overflowWaits() {
    return spec.overflowWaits();
  }

  /** True if the job's processes may hold memory and wait for more. */
  boolean mayHoldAndWait() {
    return !reservesBudget() || overflowWaits();
  }

  /** What must fit beside all contexts: B in the rules. */
  long committed(int device, DeadlockRule rule) {
    return reservesBudget() || hasClaim(rule) ? budget(device) : 0;
  }

  /** Mode ondemand with a budget on each device, under the rule {@code avoid}. */
  boolean hasClaim(DeadlockRule rule) {
    return rule == DeadlockRule.AVOID && declaredOndemand();
  }

  /** Mode ondemand, and the job declared a max claim for each of its devices. */
  private boolean declaredOndemand() {
    return !reservesBudget()
        && IntStream.range(0, spec.budgetBytes().size()).allMatch(d -> !has(d) || budget(d) > 0);
  }

  /** Bytes of the contexts that its admission reserves on a device. */
  long admissionContexts(Device device) {
    return has(device.index()) ? spec.processes() * device.contextBytes() : 0;
  }
}
