package org.schedgpu.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.schedgpu.jna.Policy;

/**
 * A worked example with lane jobs, on model and core at once: each step compares the two. Sizes are
 * units, device 0 is meant unless another one is named, and each job has one process in the slot
 * with its number.
 */
final class LaneCase implements AutoCloseable {
  private static final int NOBODY = -1;

  private final ModelAndCore both;

  private LaneCase(NodeSpec node) {
    both = new ModelAndCore(node, new Coverage(), StepLog.discarding());
  }

  /** Devices of these sizes, without contexts; nobody is overtaken more often than twice. */
  static LaneCase devices(Integer... units) {
    return withContexts(0, units);
  }

  static LaneCase withContexts(int contextUnits, Integer... units) {
    return new LaneCase(
        new NodeSpec(
            Arrays.stream(units)
                .map(u -> new DeviceSpec(Action.bytes(u), 0, Action.bytes(contextUnits)))
                .toList(),
            Policy.FIFO,
            2,
            0,
            DeadlockRule.DETECT));
  }

  @Override
  public void close() {
    both.close();
  }

  static void check(Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected " + expected + ", but was " + actual);
    }
  }

  /** A lane job with its process. */
  void job(int number, LanePolicy policy, int budget, int persistent) {
    job(number, 0, budget, new LaneSpec(policy, Action.bytes(persistent), 1, 0), 10);
  }

  void job(int number, int device, int budget, LaneSpec lane, int priority) {
    check(Answer.OK, begin(number, device, budget, lane, priority));
    process(number, number);
  }

  Answer begin(int number, int device, int budget, LaneSpec lane, int priority) {
    new Action.BeginLaneJob(number, device, Action.bytes(budget), lane, priority).on(both);
    return both.answer();
  }

  /** A job without a lane, and its process. */
  void otherJob(int number, Mode mode, int budget) {
    List<Long> budgets = new ArrayList<>(Collections.nCopies(Histories.MAX_DEVICES, 0L));
    budgets.set(0, Action.bytes(budget));
    both.begin(new JobSpec(number, 1, mode, false, budgets, 10, 1, 1), NOBODY);
    check(Answer.OK, both.answer());
    process(number, number);
  }

  /** One more process of a job. */
  void process(int slot, int job) {
    both.attach(slot, job);
    check(Answer.OK, both.answer());
  }

  Answer beginIteration(int slot) {
    both.ask(slot, deviceOf(slot), 0, RequestKind.GATE, true);
    return both.answer();
  }

  Answer shareLane(int slot) {
    both.shareLane(slot);
    return both.answer();
  }

  Answer mapLane(int slot, int units) {
    both.mapLane(slot, Action.bytes(units));
    return both.answer();
  }

  Answer endIteration(int slot) {
    both.endIteration(slot);
    return both.answer();
  }

  Answer ask(int slot, int units) {
    both.ask(slot, deviceOf(slot), Action.bytes(units), RequestKind.MEMORY, true);
    return both.answer();
  }

  Answer askForContext(int slot) {
    both.ask(slot, deviceOf(slot), 0, RequestKind.CONTEXT, true);
    return both.answer();
  }

  private int deviceOf(int slot) {
    return Integer.numberOfTrailingZeros(client(slot).job.orElseThrow().spec.deviceMask());
  }

  private Client client(int slot) {
    return both.process(slot).client;
  }

  void giveBack(int slot, int units) {
    both.giveBack(slot, deviceOf(slot), Optional.of(Action.bytes(units)));
    check(Answer.OK, both.answer());
  }

  /** The process takes what was granted to it. */
  Answer takeGranted(int slot) {
    if (!granted(slot)) {
      throw new AssertionError("nothing was granted to process " + slot);
    }
    both.take(slot);
    return both.answer();
  }

  boolean granted(int slot) {
    return both.process(slot)
        .place
        .filter(place -> both.model().granted(place.ticket()))
        .isPresent();
  }

  /** The process takes the turn that it was given. */
  void takeTurn(int slot) {
    check(true, both.turnGiven(slot));
    both.settleTurn(slot);
    check(Answer.OK, both.answer());
  }

  /** The process does not wait any longer. */
  Answer giveUp(int slot) {
    both.settleTurn(slot);
    return both.answer();
  }

  void dies(int slot) {
    both.remove(slot);
  }

  void ends(int job) {
    both.end(job);
  }

  /** A waiting process looks after some time. */
  void look(long ns) {
    both.pass(ns);
  }

  void sleep(long ns) {
    both.sleep(ns);
  }

  /** The slot that has the turn of a job's lane, -1 if nobody has it. */
  int holder(int job) {
    Optional<Client> holder = laneOf(job).holder;
    for (int slot = 0; slot < ModelAndCore.SLOTS; slot++) {
      if (both.present(slot) && holder.isPresent() && client(slot) == holder.get()) {
        return slot;
      }
    }
    return NOBODY;
  }

  boolean busy(int job) {
    return laneOf(job).busy;
  }

  private Lane laneOf(int job) {
    return memberOf(job).lane.orElseThrow();
  }

  private Job memberOf(int job) {
    return both.model().lanes().members().stream()
        .filter(j -> j.id() == job)
        .findFirst()
        .orElseThrow();
  }

  /** Index of the job's lane. */
  int lane(int job) {
    return laneOf(job).index;
  }

  boolean isMember(int job) {
    return both.model().lanes().members().stream().anyMatch(j -> j.id() == job);
  }

  long laneUnits(int job) {
    return both.model().lanes().bytes(laneOf(job)) / Units.UNIT_BYTES;
  }

  long persistentUnits(int job) {
    return memberOf(job).keptBytes() / Units.UNIT_BYTES;
  }

  long serviceNs(int job) {
    return memberOf(job).serviceNs;
  }

  long used() {
    return both.model().used(0) / Units.UNIT_BYTES;
  }

  int lanes() {
    return both.model().lanes().lanes().size();
  }
}
