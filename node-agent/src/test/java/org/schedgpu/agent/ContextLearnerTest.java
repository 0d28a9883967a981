package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.ContextLearner.Look;
import org.schedgpu.agent.ContextLearner.Seen;

class ContextLearnerTest {
  private static final long MIB = 1L << 20;

  private final ContextLearner learner = new ContextLearner();

  private static Look look(int pid, long contextMib) {
    return new Look(new Seen(pid, pid), contextMib * MIB + 7 * MIB, 7 * MIB, 7 * MIB);
  }

  /** Processes with contexts of these sizes, all at once. */
  private void seeAll(long... contextsMib) {
    learner.see(
        IntStream.range(0, contextsMib.length).mapToObj(i -> look(i, contextsMib[i])).toList());
  }

  private static OptionalLong mib(long mib) {
    return OptionalLong.of(mib * MIB);
  }

  @Test
  void fewProcessesSayNothing() {
    seeAll(300, 300);
    assertEquals(OptionalLong.empty(), learner.contextBytes());
    assertEquals(2, learner.processes());
  }

  @Test
  void theMiddleOneCountsInWholePages() {
    seeAll(300, 301, 3000);
    assertEquals(mib(302), learner.contextBytes());
  }

  /** A process reserves before it allocates: in between its context looks too small. */
  @Test
  void ofEachProcessTheLargestCounts() {
    seeAll(300, 300, 300);
    learner.see(
        List.of(
            look(0, 300),
            new Look(new Seen(1, 1), 300 * MIB, 0, 200 * MIB),
            new Look(new Seen(2, 2), 300 * MIB, 200 * MIB, 0)));
    assertEquals(mib(300), learner.contextBytes());
    assertEquals(3, learner.processes());
  }

  @Test
  void whoEndedIsRememberedAndHisNumberIsNew() {
    seeAll(300, 300, 300);
    learner.see(List.of());
    assertEquals(mib(300), learner.contextBytes());
    seeAll(500, 500, 500, 500);
    assertEquals(7, learner.processes());
    assertEquals(mib(500), learner.contextBytes());
  }

  @Test
  void whatWasLongAgoIsForgotten() {
    for (int i = 0; i < 70; i++) {
      seeAll(300);
      learner.see(List.of());
    }
    assertEquals(63, learner.processes());
    for (int i = 0; i < 32; i++) {
      seeAll(500);
      learner.see(List.of());
    }
    assertEquals(mib(500), learner.contextBytes());
  }

  @Test
  void whatIsNoContextIsLeftOut() {
    learner.see(
        Arrays.asList(
            new Look(new Seen(1, 1), 5, 5, 5),
            new Look(new Seen(2, 2), 5, 9, 9),
            new Look(new Seen(3, 3), ContextLearner.LARGEST_BYTES + 1, 0, 0)));
    assertEquals(0, learner.processes());
  }
}
