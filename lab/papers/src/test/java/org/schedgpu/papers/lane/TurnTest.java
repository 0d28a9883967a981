package org.schedgpu.papers.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.schedgpu.papers.lane.Members.ofLength;

import org.junit.jupiter.api.Test;

/** Who begins when. An iteration takes 10; the quantum is 100; an idle turn stays for 20. */
class TurnTest {
  private static final long QUANTUM = 100;
  private static final long IDLE = 20;

  private final Member first = ofLength("first", 100);
  private final Member second = ofLength("second", 50);
  private final Member third = ofLength("third", 10);

  private Turn turn(LanePolicy policy, int overtakeLimit) {
    first.joined = 0;
    second.joined = 1;
    third.joined = 2;
    return new Turn(policy, QUANTUM, IDLE, overtakeLimit);
  }

  private static Member withPriority(String name, int priority) {
    LaneJob job = Members.job(name, 0, 1, 1, 10);
    return Members.of(new LaneJob(job.name(), 0, job.memory(), job.work(), priority, job.share()));
  }

  /** The holder ends an iteration and, if it may, begins the next. */
  private static void goesOn(Turn turn, Member holder, long nowNs) {
    assertNull(turn.end(nowNs));
    assertSame(holder, turn.begin(holder, nowNs));
  }

  @Test
  void aTurnOfNobodyIsGivenAtOnceAndABusyOneIsNot() {
    Turn turn = turn(LanePolicy.PACK, 0);
    assertSame(first, turn.begin(first, 0));
    assertNull(turn.begin(second, 5));
    assertSame(first, turn.holder());
  }

  @Test
  void aTurnThatWasIdleForLongEnoughIsGivenToWhoAsks() {
    Turn turn = turn(LanePolicy.PACK, 0);
    turn.begin(first, 0);
    turn.end(10);
    assertSame(second, turn.begin(second, 10 + IDLE));
  }

  @Test
  void aTurnThatWasIdleForLessIsKeptFromWhoDoesNotComeBefore() {
    Turn turn = turn(LanePolicy.PACK, 0);
    turn.begin(first, 0);
    turn.end(10);
    assertNull(turn.begin(second, 9 + IDLE));
    assertSame(first, turn.begin(first, 9 + IDLE));
  }

  @Test
  void anIdleTurnIsGivenAtOnceToWhoComesBefore() {
    Turn turn = turn(LanePolicy.SRTF, 0);
    turn.begin(first, 0);
    turn.end(10);
    assertSame(third, turn.begin(third, 11));
  }

  @Test
  void underPackTheHolderGoesOnAndTheOldestAskIsNext() {
    Turn turn = turn(LanePolicy.PACK, 0);
    turn.begin(first, 0);
    turn.begin(third, 1);
    turn.begin(second, 2);
    goesOn(turn, first, 1000);
    assertSame(third, turn.leave(first, 1010));
  }

  @Test
  void underFifoWhoJoinedEarlierTakesOver() {
    Turn turn = turn(LanePolicy.FIFO, 0);
    turn.begin(third, 0);
    turn.begin(second, 1);
    turn.begin(first, 2);
    assertSame(first, turn.end(10));
    turn.begin(third, 10);
    goesOn(turn, first, 1000);
    assertSame(second, turn.leave(first, 1010));
  }

  @Test
  void underSrtfTheShorterTakesOverAtTheEndOfAnIteration() {
    Turn turn = turn(LanePolicy.SRTF, 0);
    turn.begin(first, 0);
    turn.begin(second, 1);
    turn.begin(third, 2);
    assertSame(third, turn.end(10));
    turn.begin(first, 10);
    goesOn(turn, third, 20);
    assertSame(second, turn.leave(third, 30));
  }

  @Test
  void underSrtfWhatRemainsCountsNotTheLength() {
    Turn turn = turn(LanePolicy.SRTF, 0);
    turn.begin(first, 0);
    turn.end(600); // 400 of 1,000 remain
    turn.begin(first, 600);
    turn.begin(second, 601); // 500 remain
    goesOn(turn, first, 610);
  }

  @Test
  void underFairTheLeastServiceTakesOverAfterTheQuantum() {
    Turn turn = turn(LanePolicy.FAIR, 0);
    turn.begin(first, 0);
    turn.begin(second, 1);
    goesOn(turn, first, 90);
    assertSame(second, turn.end(100));
    turn.begin(first, 100);
    goesOn(turn, second, 190);
    assertSame(first, turn.end(200));
    assertEquals(100, first.serviceNs);
    assertEquals(100, second.serviceNs);
  }

  @Test
  void underFairAShareOfTwoHasTwiceTheService() {
    LaneJob job = Members.job("two", 0, 1, 1, 10);
    Member two = Members.of(new LaneJob("two", 0, job.memory(), job.work(), 0, 2));
    Turn turn = turn(LanePolicy.FAIR, 0);
    turn.begin(two, 0);
    turn.begin(first, 1);
    assertSame(first, turn.end(200));
    turn.begin(two, 200);
    assertSame(two, turn.end(300)); // 200 / 2 is no more than 100
    turn.begin(first, 300);
    goesOn(turn, two, 390); // the quantum is not over
    assertSame(first, turn.end(400)); // 100 is no more than 300 / 2
  }

  @Test
  void aHigherPriorityTakesOverUnderEveryPolicyAndALowerOneNever() {
    for (LanePolicy policy : LanePolicy.values()) {
      Member low = withPriority("low", 1);
      Member high = withPriority("high", 2);
      low.joined = 0;
      high.joined = 1;
      Turn turn = new Turn(policy, QUANTUM, IDLE, 0);
      turn.begin(low, 0);
      turn.begin(high, 1);
      assertSame(high, turn.end(5), policy.name());
      turn.begin(low, 5);
      goesOn(turn, high, 1000);
    }
  }

  @Test
  void ofWaitersTheHigherPriorityIsFirstUnderEveryPolicy() {
    for (LanePolicy policy : LanePolicy.values()) {
      Member holder = withPriority("holder", 3);
      Member low = withPriority("low", 1);
      Member high = withPriority("high", 2);
      low.joined = 0;
      high.joined = 1;
      Turn turn = new Turn(policy, QUANTUM, IDLE, 0);
      turn.begin(holder, 0);
      turn.begin(low, 1);
      turn.begin(high, 2);
      assertSame(high, turn.leave(holder, 10), policy.name());
    }
  }

  @Test
  void whoWasOvertakenOftenEnoughComesFirst() {
    Turn turn = turn(LanePolicy.SRTF, 2);
    turn.begin(first, 0);
    turn.begin(second, 1);
    assertSame(second, turn.end(10));
    turn.begin(first, 10);
    turn.begin(third, 11);
    assertSame(third, turn.end(20)); // first is overtaken once
    turn.begin(second, 20);
    assertSame(second, turn.leave(third, 30)); // and again
    assertSame(first, turn.end(40));
  }

  @Test
  void anIdleTurnIsFoundAtTheNextLookOfAWaiter() {
    Turn turn = turn(LanePolicy.PACK, 0);
    turn.begin(first, 0);
    turn.begin(second, 30);
    assertEquals(Long.MAX_VALUE, turn.nextLookNs(50));
    turn.end(60);
    assertEquals(30 + 2 * IDLE, turn.nextLookNs(60));
    assertNull(turn.look(30 + 2 * IDLE)); // idle for 10 only
    assertEquals(30 + 3 * IDLE, turn.nextLookNs(30 + 2 * IDLE));
    assertSame(second, turn.look(30 + 3 * IDLE));
  }
}
