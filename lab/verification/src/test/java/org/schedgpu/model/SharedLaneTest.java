package org.schedgpu.model;

import static org.schedgpu.model.LaneCase.check;

import net.jqwik.api.Example;

/** Shared lanes: one worked example for each rule of docs/reference/lanes.md. */
class SharedLaneTest {
  private static final LanePolicy PACK = LanePolicy.PACK;

  /** Jobs 1, 2 and 4 are of one user, job 3 of another. */
  private static void sharer(LaneCase c, int job) {
    c.job(job, PACK, 8, 1);
    check(Answer.OK, c.shareLane(job));
  }

  @Example
  void jobsOfOneUserShare() {
    try (LaneCase c = LaneCase.devices(10)) {
      sharer(c, 1);
      sharer(c, 2);
      check(Answer.OK, c.beginIteration(1));
      check(Answer.ETURN, c.beginIteration(2));
      check(c.lane(1), c.lane(2));
      check(9L, c.used());
    }
  }

  @Example
  void jobsOfOtherUsersWait() {
    try (LaneCase c = LaneCase.devices(10)) {
      sharer(c, 1);
      sharer(c, 3);
      check(Answer.OK, c.beginIteration(1));
      check(Answer.EWOULDBLOCK, c.beginIteration(3));
    }
  }

  @Example
  void jobsThatDoNotShareWait() {
    try (LaneCase c = LaneCase.devices(10)) {
      sharer(c, 1);
      c.job(2, PACK, 8, 1);
      check(Answer.OK, c.beginIteration(1));
      check(Answer.EWOULDBLOCK, c.beginIteration(2));
    }
  }

  @Example
  void nobodyHasEphemeralMemoryOfItsOwn() {
    try (LaneCase c = LaneCase.devices(10)) {
      sharer(c, 1);
      check(Answer.OK, c.beginIteration(1));
      check(Answer.EBUDGET, c.ask(1, 2));
      check(Answer.OK, c.ask(1, 1));
    }
  }

  @Example
  void memoryIsMappedInTheTurn() {
    try (LaneCase c = LaneCase.devices(10)) {
      sharer(c, 1);
      check(Answer.EINVAL, c.mapLane(1, 7));
      check(Answer.OK, c.beginIteration(1));
      check(Answer.EBUDGET, c.mapLane(1, 8));
      check(Answer.OK, c.mapLane(1, 7));
      check(Answer.OK, c.endIteration(1));
      check(Answer.ETURN, c.mapLane(1, 7));
    }
  }

  @Example
  void budgetIsNotIdleWhileTheLaneIsMapped() {
    try (LaneCase c = LaneCase.devices(10)) {
      sharer(c, 1);
      c.otherJob(2, Mode.PEAK, 9);
      check(Answer.OK, c.beginIteration(1));
      check(Answer.OK, c.mapLane(1, 7));
      check(Answer.OK, c.endIteration(1));
      check(Answer.EWOULDBLOCK, c.ask(2, 1));
      check(Answer.OK, c.mapLane(1, 0));
      check(Answer.OK, c.takeGranted(2));
    }
  }

  @Example
  void itBeginsBeforeTheJobHolds() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 8, 1);
      check(Answer.OK, c.ask(1, 1));
      check(Answer.EINVAL, c.shareLane(1));
      c.job(2, PACK, 8, 0);
      check(Answer.EINVAL, c.shareLane(2));
    }
  }
}
