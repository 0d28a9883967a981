package org.schedgpu.model;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** What Slurm runs: its processes share its budget. */
final class Job {
  JobSpec spec;

  /** Present if the job was begun as owned: with its end, and that of all processes, it ends. */
  final Optional<Client> owner;

  /** Its contexts are reserved on all of its devices: it may wait for memory. */
  boolean admitted;

  /** Its budget is reserved on all of its devices. */
  boolean holds;

  /** What its processes have in use beyond all that it holds, where there is any. */
  final Map<Integer, Long> overrun = new HashMap<>();

  /** By how much its held budget has grown, where it has. */
  final Map<Integer, Long> overflow = new HashMap<>();

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

  /** Modes peak and gate: the budget is reserved as a whole. */
  boolean reservesBudget() {
    return spec.mode() != Mode.ONDEMAND;
  }

  /** Bytes, rounded up; 0 = none declared. */
  long budget(int device) {
    return has(device) ? Units.roundUp(spec.budgetBytes().get(device)) : 0;
  }

  /** What is reserved of it as a whole once it holds. */
  long wholeBudget(int device) {
    return reservesBudget() ? budget(device) : 0;
  }

  /** What it holds of a device once it holds: its budget, and by how much that has grown. */
  long heldOnceItHolds(int device) {
    return wholeBudget(device) + overflow.getOrDefault(device, 0L);
  }

  /** The held budget grows. */
  void grow(int device, long bytes) {
    overflow.merge(device, bytes, Long::sum);
  }

  void giveBudgetBack() {
    holds = false;
    overflow.clear();
  }

  boolean overflowWaits() {
    return spec.overflowWaits();
  }

  /** Its processes may hold memory and wait for more. */
  boolean mayHoldAndWait() {
    return !reservesBudget() || overflowWaits();
  }

  /** What must fit beside all contexts: B in the rules. */
  long committed(int device, DeadlockRule rule) {
    return reservesBudget() || hasClaim(rule) ? budget(device) : 0;
  }

  /** Ondemand, a budget on each of its devices, and the rule is {@code avoid}. */
  boolean hasClaim(DeadlockRule rule) {
    return rule == DeadlockRule.AVOID && declaredOndemand();
  }

  /** Ondemand, and it said for each of its devices how much it will need. */
  private boolean declaredOndemand() {
    return !reservesBudget()
        && IntStream.range(0, spec.budgetBytes().size()).allMatch(d -> !has(d) || budget(d) > 0);
  }

  /** Bytes of the contexts that its admission reserves on a device. */
  long admissionContexts(Device device) {
    return has(device.index()) ? spec.processes() * device.contextBytes() : 0;
  }
}
