package org.schedgpu.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.schedgpu.jna.Policy;

/** One step of a history: an operation and its target. Printed as one line. */
sealed interface Action {
  /** Performs it on both sides; does nothing if it makes no sense now. */
  void on(ModelAndCore both);

  /** Sizes in histories are small numbers of units. */
  static long bytes(int units) {
    return units * Units.UNIT_BYTES;
  }

  /** In units, if the bytes are a whole number of them. */
  static String size(long bytes) {
    return bytes % Units.UNIT_BYTES == 0 ? bytes / Units.UNIT_BYTES + "u" : bytes + " bytes";
  }

  /**
   * A job begins or changes.
   *
   * @param budgetBytes per device
   * @param owner slot of the root side, or -1
   */
  record Begin(
      long id,
      int uid,
      Mode mode,
      boolean overflowWaits,
      List<Long> budgetBytes,
      int priority,
      int processes,
      int deviceMask,
      int owner)
      implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.begin(
          new JobSpec(id, uid, mode, overflowWaits, budgetBytes, priority, processes, deviceMask),
          owner);
    }

    @Override
    public String toString() {
      return String.format(
          "job %d begins: user %d, %s%s, budget %s, priority %d, processes %d, devices %s%s",
          id,
          uid,
          mode,
          overflowWaits ? ", overflow waits" : "",
          budgetBytes.stream().map(Action::size).toList(),
          priority,
          processes,
          Integer.toBinaryString(deviceMask),
          owner < 0 ? "" : ", owner in slot " + owner);
    }
  }

  /** A lane job begins or changes, on one device. */
  record BeginLaneJob(long id, int device, long budgetBytes, LaneSpec lane, int priority)
      implements Action {
    /** Root has no share of the table of lanes. */
    static final int OF_ROOT = 1000;

    @Override
    public void on(ModelAndCore both) {
      List<Long> budgets = new ArrayList<>(List.of(0L, 0L, 0L));
      budgets.set(device, budgetBytes);
      both.beginLaneJob(
          new JobSpec(
              id,
              id >= OF_ROOT ? 0 : id % 3 == 0 ? 2 : 1, // two users
              Mode.PEAK,
              false,
              budgets,
              priority,
              1,
              1 << device,
              Optional.of(lane)));
    }

    @Override
    public String toString() {
      return String.format(
          "lane job %d begins: device %d, %s, budget %s, persistent %s, share %d, length %d ns,"
              + " priority %d",
          id,
          device,
          lane.policy(),
          size(budgetBytes),
          size(lane.persistentBytes()),
          lane.share(),
          lane.lengthNs(),
          priority);
    }
  }

  record EndIteration(int slot) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.endIteration(slot);
    }

    @Override
    public String toString() {
      return "process " + slot + " ends its iteration";
    }
  }

  record ShareLane(int slot) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.shareLane(slot);
    }

    @Override
    public String toString() {
      return "the job of process " + slot + " shares its lane";
    }
  }

  record MapLane(int slot, long bytes) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.mapLane(slot, bytes);
    }

    @Override
    public String toString() {
      return "process " + slot + " maps " + size(bytes) + " of its lane";
    }
  }

  record LetTurnsGoOn() implements Action {
    @Override
    public void on(ModelAndCore both) {
      new TurnsGoOn(both).letAllHaveTheirTurn();
    }

    @Override
    public String toString() {
      return "all iterations end, until nobody waits for a turn";
    }
  }

  record Look() implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.look();
    }

    @Override
    public String toString() {
      return "a waiting process looks";
    }
  }

  /** Time passes, and nobody is served. */
  record Sleep(long ns) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.sleep(ns);
    }

    @Override
    public String toString() {
      return ns + " ns pass";
    }
  }

  record End(long job) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.end(job);
    }

    @Override
    public String toString() {
      return "job " + job + " ends";
    }
  }

  record Attach(int slot, long job) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.attach(slot, job);
    }

    @Override
    public String toString() {
      return "process " + slot + " of job " + job + " attaches";
    }
  }

  record AttachOwner(int slot) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.attachRootSide(slot);
    }

    @Override
    public String toString() {
      return "process " + slot + " of the root side attaches";
    }
  }

  record Remove(int slot) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.remove(slot);
    }

    @Override
    public String toString() {
      return "process " + slot + " dies";
    }
  }

  record Ask(int slot, int device, long bytes, RequestKind kind, boolean mayWait)
      implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.ask(slot, device, bytes, kind, mayWait);
    }

    @Override
    public String toString() {
      String what =
          switch (kind) {
            case MEMORY -> size(bytes);
            case CONTEXT -> "a context";
            case GATE -> "the budget (gate), or begins an iteration,";
          };
      return String.format(
          "process %d asks for %s on device %d%s",
          slot, what, device, mayWait ? "" : ", does not wait");
    }
  }

  record Take(int slot) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.take(slot);
    }

    @Override
    public String toString() {
      return "process " + slot + " takes what was granted";
    }
  }

  record Cancel(int slot) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.cancel(slot);
    }

    @Override
    public String toString() {
      return "process " + slot + " ends its wait";
    }
  }

  /** Without units: everything in use. */
  record GiveBack(int slot, int device, Optional<Integer> units) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.giveBack(slot, device, units.map(Action::bytes));
    }

    @Override
    public String toString() {
      return String.format(
          "process %d gives back %s on device %d",
          slot, units.map(n -> n + "u").orElse("all"), device);
    }
  }

  record LeaveContext(int slot, int device) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.leaveContext(slot, device);
    }

    @Override
    public String toString() {
      return "process " + slot + " leaves its context on device " + device;
    }
  }

  /** Without a job: foreign memory. */
  record SetUnreserved(Optional<Long> job, int device, long bytes) implements Action {
    @Override
    public void on(ModelAndCore both) {
      job.ifPresentOrElse(
          id -> both.setOverrun(id, device, bytes), () -> both.setForeign(device, bytes));
    }

    @Override
    public String toString() {
      return String.format(
          "%s of device %d becomes %s",
          job.map(id -> "the overrun of job " + id).orElse("the foreign memory"),
          device,
          size(bytes));
    }
  }

  record SetPolicy(Policy policy) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.setPolicy(policy);
    }

    @Override
    public String toString() {
      return "the policy becomes " + policy;
    }
  }

  record Pass(long ns) implements Action {
    @Override
    public void on(ModelAndCore both) {
      both.pass(ns);
    }

    @Override
    public String toString() {
      return ns + " ns pass, all are served";
    }
  }
}
