package org.schedgpu.model;

import static org.schedgpu.model.LaneCase.check;

import net.jqwik.api.Example;

/** Turns: one worked example for each rule of docs/reference/lanes.md. */
class TurnTest {
  private static final LanePolicy PACK = LanePolicy.PACK;
  private static final LanePolicy FIFO = LanePolicy.FIFO;
  private static final LanePolicy FAIR = LanePolicy.FAIR;
  private static final LanePolicy SRTF = LanePolicy.SRTF;

  /** The quantum of {@link ModelAndCore}. */
  private static final long QUANTUM_NS = 30;

  /** Jobs 1, 2 and so on, so large that they share a lane, with their budgets and turns asked. */
  private static LaneCase sharing(LanePolicy policy, int jobs) {
    LaneCase c = LaneCase.devices(10);
    for (int job = 1; job <= jobs; job++) {
      c.job(job, policy, 7, 1);
      check(Answer.OK, c.ask(job, 1));
    }
    return c;
  }

  private static LaneCase with(LaneSpec... lanes) {
    LaneCase c = LaneCase.devices(10);
    for (int job = 1; job <= lanes.length; job++) {
      c.job(job, 0, 7, lanes[job - 1], 10);
      check(Answer.OK, c.ask(job, 1));
    }
    return c;
  }

  private static LaneSpec srtf(long lengthNs) {
    return new LaneSpec(SRTF, Units.UNIT_BYTES, 1, lengthNs);
  }

  private static LaneSpec fair(int share) {
    return new LaneSpec(FAIR, Units.UNIT_BYTES, share, 0);
  }

  @Example
  void turnOfNobodyIsGivenAtOnce() {
    try (LaneCase c = sharing(PACK, 2)) {
      check(-1, c.holder(1));
      check(Answer.OK, c.beginIteration(1));
      check(1, c.holder(1));
      check(true, c.busy(1));
      check(Answer.ETURN, c.beginIteration(2));
    }
  }

  @Example
  void holderBeginsAgainWithoutWaiting() {
    try (LaneCase c = sharing(PACK, 2)) {
      c.beginIteration(1);
      check(Answer.OK, c.endIteration(1));
      check(false, c.busy(1));
      check(Answer.OK, c.beginIteration(1));
      check(true, c.busy(1));
    }
  }

  @Example
  void endWithoutTheTurnDoesNothing() {
    try (LaneCase c = sharing(PACK, 2)) {
      c.beginIteration(1);
      check(Answer.OK, c.endIteration(2));
      check(true, c.busy(1));
    }
  }

  @Example
  void idleHolderLosesTheTurnAfterSomeTime() {
    try (LaneCase c = sharing(PACK, 2)) {
      c.beginIteration(1);
      c.beginIteration(2);
      c.endIteration(1);
      c.look(Turns.IDLE_NS - 1);
      check(1, c.holder(1));
      check(Answer.OK, c.endIteration(1)); // idle already: the time goes on
      c.look(1);
      check(2, c.holder(1));
      c.takeTurn(2);
    }
  }

  @Example
  void busyTurnStays() {
    try (LaneCase c = sharing(PACK, 2)) {
      c.beginIteration(1);
      c.beginIteration(2);
      c.look(10 * Turns.IDLE_NS);
      check(1, c.holder(1));
    }
  }

  @Example
  void memoryThatIsKeptBecomesPersistent() {
    try (LaneCase c = sharing(FIFO, 2)) {
      c.beginIteration(2);
      c.beginIteration(1); // it joined first
      check(Answer.OK, c.ask(2, 2)); // 2 more than its persistent memory; 10 - 8 are free
      check(Answer.OK, c.endIteration(2));
      check(1, c.holder(1));
      check(3L, c.persistentUnits(2));
      check(6L, c.laneUnits(2)); // that of job 1
      check(10L, c.used());
    }
  }

  @Example
  void turnIsKeptIfItsMemoryCannotBecomePersistent() {
    try (LaneCase c = sharing(FIFO, 2)) {
      c.beginIteration(2);
      c.beginIteration(1);
      check(Answer.OK, c.ask(2, 3)); // 3 more, 2 are free
      check(Answer.EKEPT, c.endIteration(2));
      check(2, c.holder(1));
      check(false, c.busy(1));
      check(1L, c.persistentUnits(2));
      c.giveBack(2, 1);
      check(Answer.OK, c.endIteration(2));
      check(1, c.holder(1));
    }
  }

  @Example
  void largestMemberShrinksTheLaneWithWhatItKeeps() {
    try (LaneCase c = LaneCase.devices(9)) {
      c.job(1, FIFO, 3, 1); // lane 2
      check(Answer.OK, c.ask(1, 1));
      c.job(2, FIFO, 8, 1); // lane 7: 1 + 1 + 7
      check(Answer.OK, c.ask(2, 1));
      check(9L, c.used());
      c.beginIteration(2);
      c.beginIteration(1);
      check(Answer.OK, c.ask(2, 5));
      check(Answer.OK, c.endIteration(2)); // 5 more persistent, the lane shrinks from 7 to 2
      check(6L, c.persistentUnits(2));
      check(2L, c.laneUnits(2));
      check(9L, c.used());
    }
  }

  @Example
  void persistentMemoryIsTheDeclaredOneAfterAPause() {
    try (LaneCase c = sharing(FIFO, 2)) {
      c.beginIteration(2);
      c.beginIteration(1);
      c.ask(2, 2);
      c.endIteration(2);
      check(3L, c.persistentUnits(2));
      c.otherJob(5, Mode.PEAK, 3);
      check(Answer.EWOULDBLOCK, c.ask(5, 3));
      c.giveBack(2, 3); // it leaves the lane: 3 are free
      check(Answer.OK, c.takeGranted(5));
      c.ends(5);
      check(Answer.OK, c.ask(2, 1));
      check(1L, c.persistentUnits(2));
    }
  }

  @Example
  void deathOfTheHolderPassesTheTurnOn() {
    try (LaneCase c = sharing(PACK, 2)) {
      c.beginIteration(1);
      c.beginIteration(2);
      c.dies(1);
      check(2, c.holder(2));
      c.takeTurn(2);
    }
  }

  @Example
  void endOfTheJobPassesTheTurnOn() {
    try (LaneCase c = sharing(PACK, 2)) {
      c.beginIteration(1);
      c.beginIteration(2);
      c.ends(1);
      check(2, c.holder(2));
    }
  }

  @Example
  void idleJobLeavesTheTurnWithItsLane() {
    try (LaneCase c = sharing(PACK, 2)) {
      c.beginIteration(1);
      c.look(4);
      c.endIteration(1);
      c.look(3); // idle
      c.otherJob(5, Mode.PEAK, 3); // 8 of 10 are used
      check(Answer.EWOULDBLOCK, c.ask(5, 3));
      c.giveBack(1, 1);
      check(false, c.isMember(1));
      check(-1, c.holder(2));
      c.ends(5);
      check(Answer.OK, c.ask(1, 1));
      check(4L, c.serviceNs(1)); // it counts, though the turn was passed to nobody
      check(-1, c.holder(2));
    }
  }

  @Example
  void waiterMayGiveUp() {
    try (LaneCase c = sharing(PACK, 3)) {
      c.beginIteration(1);
      c.beginIteration(2);
      c.beginIteration(3);
      check(Answer.EWOULDBLOCK, c.giveUp(2));
      c.dies(1);
      check(3, c.holder(3));
    }
  }

  @Example
  void siblingsTakeTurnsToo() {
    try (LaneCase c = sharing(PACK, 1)) {
      c.process(2, 1);
      c.beginIteration(1);
      check(Answer.ETURN, c.beginIteration(2));
      c.endIteration(1);
      c.look(Turns.IDLE_NS);
      check(2, c.holder(1));
    }
  }

  @Example
  void packGivesTheTurnToTheOldestRequest() {
    try (LaneCase c = sharing(PACK, 3)) {
      c.beginIteration(1);
      c.beginIteration(3);
      c.beginIteration(2);
      check(Answer.OK, c.endIteration(1));
      check(1, c.holder(1)); // no switching beyond need
      c.dies(1);
      check(3, c.holder(2));
    }
  }

  @Example
  void fifoGivesTheTurnToTheFirstMember() {
    try (LaneCase c = sharing(FIFO, 3)) {
      c.beginIteration(2);
      c.beginIteration(3);
      c.beginIteration(1);
      c.endIteration(2);
      check(1, c.holder(1));
      c.takeTurn(1);
      c.beginIteration(2);
      c.endIteration(1); // none of the others joined earlier
      check(1, c.holder(1));
      c.dies(1);
      check(2, c.holder(2));
    }
  }

  @Example
  void srtfGivesTheTurnToTheShortestRest() {
    try (LaneCase c = with(srtf(30), srtf(20), srtf(0))) {
      c.beginIteration(1);
      c.beginIteration(3);
      c.beginIteration(2);
      c.endIteration(1);
      check(2, c.holder(1));
      c.takeTurn(2);
      c.endIteration(2); // 20 are less than 30
      check(2, c.holder(1));
      check(Answer.ETURN, c.beginIteration(1));
      c.dies(2);
      check(1, c.holder(1)); // the unknown length comes last
    }
  }

  @Example
  void srtfCountsWhatAJobHasHad() {
    try (LaneCase c = with(srtf(30), srtf(20))) {
      c.beginIteration(1);
      c.beginIteration(2);
      c.sleep(10);
      c.endIteration(1); // 20 are left: no more
      check(1, c.holder(1));
      c.look(1); // an idle turn is no service
      check(1, c.holder(1));
      c.beginIteration(1);
      c.sleep(1);
      c.endIteration(1); // 19 are left
      c.beginIteration(1);
      check(Answer.EWOULDBLOCK, c.giveUp(2));
      check(Answer.OK, c.endIteration(1));
    }
  }

  @Example
  void fairKeepsTheTurnForAQuantum() {
    try (LaneCase c = with(fair(1), fair(1))) {
      c.beginIteration(1);
      c.beginIteration(2);
      c.sleep(QUANTUM_NS - 1);
      c.endIteration(1);
      check(1, c.holder(1));
      c.beginIteration(1);
      c.sleep(1);
      c.endIteration(1);
      check(2, c.holder(1));
      check(QUANTUM_NS, c.serviceNs(1));
    }
  }

  private static LaneSpec share(int share) {
    return new LaneSpec(LanePolicy.SHARE, 0, share, 0);
  }

  /** Two jobs that fit side by side. */
  private static LaneCase onOneDevice(LaneSpec first, LaneSpec second) {
    LaneCase c = LaneCase.devices(20);
    c.job(1, 0, 7, first, 10);
    c.job(2, 0, 7, second, 10);
    check(Answer.OK, c.ask(1, 0));
    check(Answer.OK, c.ask(2, 0));
    return c;
  }

  @Example
  void turnWithTheDeviceLastsATenthOfTheQuantum() {
    try (LaneCase c = onOneDevice(share(1), share(1))) {
      c.beginIteration(1);
      check(Answer.ETURN, c.beginIteration(2)); // one lane, although a second one would fit
      c.sleep(QUANTUM_NS / 10 - 1);
      c.endIteration(1);
      check(1, c.holder(1));
      c.beginIteration(1);
      c.sleep(1);
      c.endIteration(1);
      check(2, c.holder(1));
    }
  }

  @Example
  void jobThatPausedStartsLevelWithThoseThatCompute() {
    try (LaneCase c = onOneDevice(share(1), share(3))) {
      c.beginIteration(1);
      c.sleep(100);
      c.beginIteration(2);
      check(300L, c.serviceNs(2)); // 100, by its share
    }
  }

  @Example
  void jobStartsLevelWithTheMostIfNobodyComputes() {
    try (LaneCase c = onOneDevice(share(1), share(2))) {
      c.process(3, 1);
      c.beginIteration(3);
      c.sleep(100);
      c.dies(3);
      check(100L, c.serviceNs(1));
      c.beginIteration(2);
      check(200L, c.serviceNs(2)); // 100, by its share
    }
  }

  @Example
  void fairWeighsServiceByShare() {
    try (LaneCase c = with(fair(3), fair(1))) {
      c.beginIteration(2);
      c.beginIteration(1);
      c.sleep(40);
      c.endIteration(2); // 40 against 0
      c.takeTurn(1);
      c.beginIteration(2);
      c.sleep(119);
      c.endIteration(1); // 119 / 3 against 40: it has less yet
      check(1, c.holder(1));
      c.beginIteration(1);
      c.sleep(1);
      c.endIteration(1); // 40 against 40
      check(2, c.holder(1));
    }
  }

  @Example
  void newMemberOfAFairLaneStartsWithTheLeastService() {
    try (LaneCase c = with(fair(1))) {
      c.beginIteration(1);
      c.sleep(100);
      c.job(2, 0, 7, fair(2), 10);
      check(Answer.OK, c.ask(2, 1));
      check(200L, c.serviceNs(2)); // 100, by its share: the present turn counts
    }
  }

  @Example
  void higherPriorityComesFirst() {
    try (LaneCase c = LaneCase.devices(10)) {
      int[] priorities = {0, 10, 50, 10};
      for (int job = 1; job <= 3; job++) {
        c.job(job, 0, 7, new LaneSpec(FIFO, Units.UNIT_BYTES, 1, 0), priorities[job]);
        c.ask(job, 1);
      }
      c.beginIteration(3);
      c.beginIteration(1);
      c.beginIteration(2);
      c.endIteration(3);
      check(2, c.holder(2)); // job 1 joined first, job 2 has the higher priority
      c.takeTurn(2);
      c.endIteration(2); // job 1 joined earlier, but has the lower priority
      check(2, c.holder(2));
    }
  }

  @Example
  void whoWasOvertakenOftenComesFirst() {
    try (LaneCase c = sharing(FIFO, 3)) {
      c.beginIteration(1);
      c.beginIteration(3); // the oldest request, of the youngest member
      c.beginIteration(2);
      c.dies(1);
      c.takeTurn(2); // overtakes once
      c.process(1, 1);
      c.ask(1, 1);
      check(Answer.ETURN, c.beginIteration(1));
      c.endIteration(2);
      c.takeTurn(1); // overtakes twice: the limit
      check(Answer.ETURN, c.beginIteration(2));
      c.endIteration(1);
      check(3, c.holder(3)); // before the holder and before job 2
    }
  }
}
