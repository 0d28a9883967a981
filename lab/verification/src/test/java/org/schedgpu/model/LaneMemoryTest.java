package org.schedgpu.model;

import static org.schedgpu.model.Action.BeginLaneJob.OF_ROOT;
import static org.schedgpu.model.LaneCase.check;

import net.jqwik.api.Example;

/** Memory of lane jobs: one worked example for each rule of docs/reference/lanes.md. */
class LaneMemoryTest {
  private static final LanePolicy PACK = LanePolicy.PACK;

  @Example
  void jobReservesWhatItKeepsAndItsLane() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 6, 1);
      check(Answer.OK, c.ask(1, 1));
      check(1L, c.persistentUnits(1));
      check(5L, c.laneUnits(1));
      check(6L, c.used());
    }
  }

  @Example
  void laneIsAsLargeAsTheLargestMemberNeeds() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 8, 1);
      c.job(2, PACK, 4, 1);
      c.beginIteration(1);
      check(Answer.ETURN, c.beginIteration(2));
      check(9L, c.used()); // 1 + 1 + the larger of 7 and 3
      c.ends(1);
      check(4L, c.used());
      c.ends(2);
      check(0, c.lanes());
    }
  }

  @Example
  void newLanesAreOpenedWhileTheyFit() {
    try (LaneCase c = LaneCase.devices(10)) {
      for (int job = 1; job <= 3; job++) {
        c.job(job, PACK, 4, 1);
        check(Answer.OK, c.ask(job, 1));
      }
      check(0, c.lane(1));
      check(1, c.lane(2));
      check(0, c.lane(3)); // of equals the lowest index
    }
  }

  @Example
  void newLaneMayJustFit() {
    try (LaneCase c = LaneCase.devices(8)) {
      c.job(1, PACK, 4, 1);
      c.job(2, PACK, 4, 1);
      check(Answer.OK, c.ask(1, 1));
      check(Answer.OK, c.ask(2, 1));
      check(1, c.lane(2));
      check(8L, c.used());
    }
  }

  @Example
  void smallestLaneThatIsLargeEnoughIsUsed() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 5, 0);
      c.job(2, PACK, 3, 0);
      c.job(3, PACK, 3, 1);
      c.beginIteration(1);
      c.beginIteration(2);
      check(Answer.OK, c.ask(3, 1));
      check(1, c.lane(3));
      check(3L, c.laneUnits(3));
    }
  }

  @Example
  void smallestLaneThatCanGrowGrows() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 4, 0);
      c.job(2, PACK, 3, 0);
      c.job(3, PACK, 6, 1); // 3 are free: 1 is kept, and 3 becomes 5
      c.beginIteration(1);
      c.beginIteration(2);
      check(Answer.OK, c.ask(3, 1));
      check(1, c.lane(3));
      check(5L, c.laneUnits(3));
      check(10L, c.used());
    }
  }

  @Example
  void jobWaitsIfNoLaneCanBeHad() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 9, 6);
      c.job(2, PACK, 9, 2); // needs 2 and 7 - 3, and 1 is free
      c.beginIteration(1);
      check(Answer.EWOULDBLOCK, c.beginIteration(2));
      c.dies(1);
      check(Answer.OK, c.takeGranted(2));
      check(2, c.holder(2));
    }
  }

  @Example
  void lanesHaveOnePolicyAndOneDevice() {
    try (LaneCase c = LaneCase.devices(10, 10)) {
      c.job(1, PACK, 6, 0);
      c.job(2, LanePolicy.SRTF, 6, 0);
      c.job(3, 1, 6, new LaneSpec(PACK, 0, 1, 0), 10);
      check(Answer.OK, c.beginIteration(1));
      check(Answer.OK, c.beginIteration(3));
      check(1, c.lane(3));
      check(Answer.EWOULDBLOCK, c.beginIteration(2)); // the lane of 6 is not for it
    }
  }

  @Example
  void tableOfLanesMayBeFull() {
    try (LaneCase c = LaneCase.devices(1000)) {
      LaneSpec lane = new LaneSpec(PACK, 512, 1, 0);
      for (int job = OF_ROOT; job <= OF_ROOT + 128; job++) {
        c.begin(job, 0, 2, lane, 10);
        c.process(0, job);
        check(Answer.OK, c.ask(0, 1));
        c.dies(0); // the job holds until somebody needs its memory
      }
      check(128, c.lanes());
      check(0, c.lane(OF_ROOT + 128));
      c.begin(130, 0, 2, new LaneSpec(LanePolicy.FIFO, 512, 1, 0), 10);
      c.process(0, 130);
      check(Answer.OK, c.ask(0, 1)); // the idle ones leave their lanes
      check(1, c.lanes());
    }
  }

  /** Two of three jobs are the first user's, until he has as many lanes as are left. */
  @Example
  void aUserLeavesLanesToOthers() {
    try (LaneCase c = LaneCase.devices(1000)) {
      LaneSpec lane = new LaneSpec(PACK, 512, 1, 0);
      for (int job = 1; job <= 120; job++) {
        c.begin(job, 0, 2, lane, 10);
        c.process(0, job);
        check(Answer.OK, c.ask(0, 1));
        c.dies(0);
      }
      check(52 + 38, c.lanes());
      c.begin(OF_ROOT, 0, 2, lane, 10);
      c.process(0, OF_ROOT);
      check(Answer.OK, c.ask(0, 1));
      check(52 + 38 + 1, c.lanes());
    }
  }

  @Example
  void persistentMemoryNeedsNoTurn() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 9, 2);
      c.job(2, PACK, 7, 1);
      c.beginIteration(1);
      check(Answer.OK, c.ask(2, 1));
      check(1, c.holder(2));
    }
  }

  @Example
  void memoryBeyondItWaitsForTheTurn() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 9, 1);
      c.job(2, PACK, 8, 1);
      check(Answer.OK, c.ask(1, 9)); // the turn was nobody's
      check(1, c.holder(1));
      check(Answer.ETURN, c.ask(2, 2));
      c.giveBack(1, 8);
      c.endIteration(1);
      c.look(Turns.IDLE_NS);
      c.takeTurn(2);
      check(Answer.OK, c.ask(2, 8));
    }
  }

  @Example
  void memoryBeyondTheBudgetIsRefused() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 4, 1);
      check(Answer.EBUDGET, c.ask(1, 5));
      check(Answer.OK, c.ask(1, 3));
      check(Answer.EBUDGET, c.ask(1, 2));
    }
  }

  @Example
  void grantedMemoryThatASiblingUsedIsRefused() {
    try (LaneCase c = LaneCase.devices(5)) {
      c.otherJob(9, Mode.PEAK, 4);
      check(Answer.OK, c.ask(9, 1));
      c.job(1, PACK, 5, 0);
      c.process(2, 1);
      check(Answer.EWOULDBLOCK, c.ask(1, 2));
      c.ends(9);
      check(Answer.OK, c.ask(2, 4)); // with the turn
      check(Answer.EBUDGET, c.takeGranted(1));
    }
  }

  @Example
  void siblingWithoutTheTurnHasPersistentMemoryOnly() {
    try (LaneCase c = LaneCase.devices(7)) {
      c.job(1, PACK, 7, 2);
      c.process(2, 1);
      check(Answer.OK, c.ask(1, 3)); // with the turn
      check(Answer.ETURN, c.ask(2, 1));
    }
  }

  @Example
  void contextOfAMemberNeverWaits() {
    try (LaneCase c = LaneCase.withContexts(1, 10)) {
      c.job(1, PACK, 6, 1);
      check(Answer.OK, c.askForContext(1));
      check(Answer.OK, c.ask(1, 1)); // 1 + 6 are used
      c.otherJob(5, Mode.ONDEMAND, 0);
      check(Answer.OK, c.askForContext(5));
      c.process(2, 1);
      check(Answer.OK, c.askForContext(2)); // beyond the declared one
      c.process(3, 1);
      check(Answer.OK, c.askForContext(3));
      c.process(4, 1);
      check(Answer.EDEADLOCK, c.askForContext(4));
    }
  }

  @Example
  void contextOfAMemberPassesThoseWhoWait() {
    try (LaneCase c = LaneCase.withContexts(2, 8)) {
      c.job(1, PACK, 3, 0);
      check(Answer.OK, c.ask(1, 1));
      c.otherJob(5, Mode.PEAK, 5); // 2 + 5 do not fit beside 2
      check(Answer.EWOULDBLOCK, c.ask(5, 1));
      c.process(2, 1);
      check(Answer.OK, c.askForContext(1));
      check(Answer.OK, c.askForContext(2));
    }
  }

  @Example
  void jobThatHoldsWithoutProcessesIsAdmittedAgain() {
    try (LaneCase c = LaneCase.withContexts(1, 8)) {
      c.job(1, PACK, 3, 0);
      check(Answer.OK, c.ask(1, 1));
      c.dies(1); // its job still holds, but is not admitted any more
      c.otherJob(6, Mode.PEAK, 4);
      check(Answer.OK, c.ask(6, 4));
      check(8L, c.used());
      c.process(1, 1);
      check(Answer.OK, c.askForContext(1)); // its own idle memory is given back for it
      c.dies(1);
    }
  }

  @Example
  void idleJobLeavesItsLane() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 8, 1);
      check(Answer.OK, c.ask(1, 1));
      c.otherJob(5, Mode.PEAK, 9);
      check(Answer.EWOULDBLOCK, c.ask(5, 1));
      c.giveBack(1, 1);
      check(false, c.isMember(1));
      check(true, c.granted(5));
    }
  }

  @Example
  void jobIsNotIdleDuringAnIteration() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 8, 1);
      check(Answer.OK, c.beginIteration(1));
      c.otherJob(5, Mode.PEAK, 9);
      check(Answer.EWOULDBLOCK, c.ask(5, 1));
      check(true, c.isMember(1));
      c.endIteration(1);
      check(false, c.isMember(1));
      check(true, c.granted(5));
    }
  }

  @Example
  void jobIsNotIdleWhileItWaitsForTheTurn() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 8, 1);
      c.job(2, PACK, 8, 1);
      check(Answer.OK, c.ask(1, 5));
      check(Answer.ETURN, c.beginIteration(2));
      c.otherJob(5, Mode.PEAK, 4);
      check(Answer.EWOULDBLOCK, c.ask(5, 1));
      check(true, c.isMember(2));
      check(Answer.EWOULDBLOCK, c.giveUp(2));
      check(false, c.isMember(2));
    }
  }

  @Example
  void othersWaitForTheMembersOfALane() {
    try (LaneCase c = LaneCase.devices(10)) {
      c.job(1, PACK, 8, 1);
      check(Answer.OK, c.ask(1, 1));
      c.otherJob(5, Mode.PEAK, 9);
      c.otherJob(6, Mode.PEAK, 2);
      check(Answer.EWOULDBLOCK, c.ask(5, 1));
      check(Answer.EWOULDBLOCK, c.ask(6, 1)); // the older one blocks: the lane will end
    }
  }

  @Example
  void budgetCountsAsNeedForNewContexts() {
    try (LaneCase c = LaneCase.withContexts(1, 9)) {
      c.job(1, PACK, 8, 7); // 1 + 8: no further context fits beside them
      check(Answer.OK, c.askForContext(1));
      c.job(2, PACK, 1, 0);
      check(Answer.EWOULDBLOCK, c.askForContext(2));
    }
  }

  /** A lane job: one device, a part of its budget persistent, a share from 1 to 1000. */
  @Example
  void impossibleJobsAreRefused() {
    try (LaneCase c = LaneCase.devices(10)) {
      check(Answer.EINVAL, c.begin(1, 0, 4, new LaneSpec(PACK, Action.bytes(5), 1, 0), 10));
      check(Answer.EINVAL, c.begin(1, 0, 4, new LaneSpec(PACK, 0, 1001, 0), 10));
      check(Answer.EINVAL, c.begin(1, 0, 4, new LaneSpec(PACK, 0, 1, -1), 10));
      check(Answer.ETOOBIG, c.begin(1, 0, 11, new LaneSpec(PACK, 0, 1, 0), 10));
    }
  }

  /**
   * Figure 6 of the Salus paper: 12 GB, two jobs with 1 persistent and 7 ephemeral, allocated in
   * steps. Without lanes both could stand at 5 and wait for 3.
   */
  @Example
  void stepsOfTwoJobsDoNotDeadlock() {
    try (LaneCase c = LaneCase.devices(12)) {
      c.job(1, PACK, 8, 1);
      c.job(2, PACK, 8, 1);
      check(Answer.OK, c.ask(1, 1));
      check(Answer.OK, c.ask(2, 1));
      check(9L, c.used());
      check(Answer.OK, c.ask(1, 2));
      check(Answer.ETURN, c.ask(2, 2));
      check(Answer.OK, c.ask(1, 2));
      check(Answer.OK, c.ask(1, 3));
      c.giveBack(1, 7);
      c.endIteration(1);
      c.look(Turns.IDLE_NS);
      c.takeTurn(2);
      check(Answer.OK, c.ask(2, 2));
      check(Answer.OK, c.ask(2, 2));
      check(Answer.OK, c.ask(2, 3));
    }
  }
}
