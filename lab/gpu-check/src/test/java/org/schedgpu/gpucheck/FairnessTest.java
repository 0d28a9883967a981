package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each iteration takes 10; programs ask again at once, if nothing else is said. */
class FairnessTest {
  private static final long END = 1_000_000;

  private final List<List<Iteration>> records =
      List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
  private final long[] askedNs = {1, 1, 1};
  private long nowNs = 1;

  private void turns(int... programs) {
    for (int program : programs) {
      long beginNs = Math.max(nowNs, askedNs[program]);
      nowNs = beginNs + 10;
      records.get(program).add(new Iteration(askedNs[program], beginNs, nowNs));
      askedNs[program] = nowNs;
    }
  }

  @Test
  void equalTurnsLeaveNobodyBehind() {
    turns(0, 1, 2, 0, 1, 2, 0, 1, 2);
    assertEquals(new Fairness(0, 10), Fairness.of(records, END));
  }

  @Test
  void aProgramThatWaitsWhileOthersHaveManyTurnsIsBehind() {
    turns(0, 1, 2);
    for (int i = 0; i < 9; i++) {
      turns(0, 2);
    }
    Fairness fairness = Fairness.of(records, END);
    assertEquals(90, fairness.lagNs());
    assertFalse(fairness.holds(10));
    assertTrue(fairness.holds(20));
  }

  @Test
  void aProgramThatDoesNotAskIsNotBehind() {
    turns(0, 1, 2);
    for (int i = 0; i < 9; i++) {
      turns(0, 2);
    }
    askedNs[1] = nowNs; // only now
    turns(1);
    assertEquals(0, Fairness.of(records, END).lagNs());
  }

  @Test
  void whoJoinsLaterHasMissedNothing() {
    turns(0, 0, 0, 0, 0, 0, 0, 0);
    askedNs[1] = nowNs;
    turns(1, 0, 1, 0);
    askedNs[2] = nowNs;
    turns(2, 1, 0);
    assertEquals(0, Fairness.of(records, END).lagNs());
  }

  @Test
  void whatEndsTooLateIsLeftOut() {
    turns(0, 1, 2, 0, 0, 0, 0);
    assertEquals(0, Fairness.of(records, 31).lagNs());
  }
}
