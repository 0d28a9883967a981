package org.schedgpu.model;

import static org.schedgpu.model.LaneCase.check;

import net.jqwik.api.Example;

/** Waiters leave a lane whose turn does not end: the examples of docs/reference/lanes.md. */
class LeavingTest {
  private static final LanePolicy PACK = LanePolicy.PACK;

  /** Job 1 is in an endless iteration, job 2 waits for the turn, and 4 units are free. */
  private static LaneCase stuck(LanePolicy policy) {
    LaneCase c = LaneCase.devices(20);
    c.otherJob(9, Mode.PEAK, 12);
    check(Answer.OK, c.ask(9, 12));
    c.job(1, policy, 7, 1);
    check(Answer.OK, c.beginIteration(1));
    c.job(2, policy, 6, 1); // no lane of 5: 1 + 6 + 1 and 12 are in use
    check(Answer.ETURN, c.beginIteration(2));
    check(c.lane(1), c.lane(2));
    return c;
  }

  @Example
  void afterFifteenSecondsAWaiterOpensALane() {
    try (LaneCase c = stuck(PACK)) {
      c.ends(9);
      c.look(Turns.PATIENCE_NS - 1);
      check(c.lane(1), c.lane(2));
      c.look(1);
      check(1, c.lane(2));
      check(2, c.holder(2));
      check(13L, c.used()); // 1 + 6 and 1 + 5
      c.takeTurn(2);
      check(1, c.holder(1));
    }
  }

  @Example
  void withoutFreeMemoryItStays() {
    try (LaneCase c = stuck(PACK)) {
      c.look(Turns.PATIENCE_NS);
      check(c.lane(1), c.lane(2));
      check(Answer.EWOULDBLOCK, c.giveUp(2));
    }
  }

  @Example
  void beforeARequestThatWaitsItTakesNoMemory() {
    try (LaneCase c = stuck(PACK)) {
      c.otherJob(8, Mode.PEAK, 13);
      check(Answer.EWOULDBLOCK, c.ask(8, 13)); // 12 are free once job 9 has ended
      c.ends(9);
      c.look(Turns.PATIENCE_NS);
      check(c.lane(1), c.lane(2));
    }
  }

  @Example
  void itJoinsALaneThatIsLargeEnough() {
    try (LaneCase c = LaneCase.devices(20)) {
      c.job(1, PACK, 7, 1);
      check(Answer.OK, c.beginIteration(1));
      c.job(2, PACK, 11, 1);
      check(Answer.OK, c.ask(2, 1)); // lanes of 6 and 10 units; 2 are free
      c.job(3, PACK, 6, 1);
      check(Answer.ETURN, c.beginIteration(3));
      check(0, c.lane(3));
      c.look(Turns.PATIENCE_NS);
      check(1, c.lane(3));
      check(3, c.holder(2));
    }
  }

  @Example
  void whatTheLaneShrinksByIsFreeForTheNewOne() {
    try (LaneCase c = LaneCase.devices(12)) {
      c.otherJob(9, Mode.PEAK, 2);
      check(Answer.OK, c.ask(9, 2));
      c.job(1, PACK, 4, 1);
      check(Answer.OK, c.beginIteration(1));
      c.job(2, PACK, 7, 1); // the lane grows from 3 to 6
      check(Answer.ETURN, c.beginIteration(2));
      check(10L, c.used());
      c.ends(9); // 4 are free, and 3 of the lane
      c.look(Turns.PATIENCE_NS);
      check(2, c.holder(2));
      check(11L, c.used()); // 1 + 3 and 1 + 6
    }
  }

  @Example
  void ofSeveralEachLeaves() {
    try (LaneCase c = LaneCase.devices(20)) {
      c.otherJob(9, Mode.PEAK, 14);
      check(Answer.OK, c.ask(9, 14));
      c.job(1, PACK, 4, 1);
      check(Answer.OK, c.beginIteration(1));
      for (int job = 2; job <= 3; job++) {
        c.job(job, PACK, 4, 1);
        check(Answer.ETURN, c.beginIteration(job));
      }
      c.ends(9);
      c.look(Turns.PATIENCE_NS);
      check(2, c.holder(2));
      check(3, c.holder(3));
      check(12L, c.used());
    }
  }

  @Example
  void aTurnThatIsIdleButCannotBeReturnedIsLeftToo() {
    try (LaneCase c = LaneCase.devices(20)) {
      c.otherJob(9, Mode.PEAK, 12);
      check(Answer.OK, c.ask(9, 12));
      c.job(1, PACK, 7, 1);
      check(Answer.OK, c.beginIteration(1));
      check(Answer.OK, c.ask(1, 6));
      c.job(2, PACK, 7, 1);
      check(Answer.ETURN, c.beginIteration(2));
      check(Answer.OK, c.endIteration(1)); // keeps 6 of 7, and nothing is free
      c.look(Turns.PATIENCE_NS);
      check(c.lane(1), c.lane(2));
      check(1, c.holder(1));
      c.ends(9);
      check(true, c.holder(2) == 2);
    }
  }

  @Example
  void siblingsOfTheHolderStay() {
    try (LaneCase c = stuck(PACK)) {
      c.process(3, 1);
      check(Answer.ETURN, c.beginIteration(3));
      check(Answer.EWOULDBLOCK, c.giveUp(2));
      c.ends(9);
      c.look(Turns.PATIENCE_NS);
      check(1, c.holder(1));
      check(false, c.granted(3));
    }
  }

  @Example
  void turnsWithTheDeviceItselfAreNotLeft() {
    try (LaneCase c = LaneCase.devices(20)) {
      c.job(1, LanePolicy.SHARE, 4, 4);
      check(Answer.OK, c.beginIteration(1));
      c.job(2, LanePolicy.SHARE, 4, 4);
      check(Answer.ETURN, c.beginIteration(2));
      c.look(Turns.PATIENCE_NS);
      check(c.lane(1), c.lane(2));
    }
  }

  @Example
  void aSharedLaneIsNotLeft() {
    try (LaneCase c = LaneCase.devices(20)) {
      c.otherJob(9, Mode.PEAK, 12);
      check(Answer.OK, c.ask(9, 12));
      for (int job = 1; job <= 2; job++) {
        c.job(job, PACK, 7, 1);
        check(Answer.OK, c.shareLane(job));
        check(job == 1 ? Answer.OK : Answer.ETURN, c.beginIteration(job));
      }
      c.ends(9);
      c.look(Turns.PATIENCE_NS);
      check(c.lane(1), c.lane(2));
    }
  }
}
