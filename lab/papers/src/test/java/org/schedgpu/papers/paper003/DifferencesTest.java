package org.schedgpu.papers.paper003;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.papers.remote.QueueJob;
import org.schedgpu.papers.remote.QueueOutcome;

class DifferencesTest {
  private static final long S = 1_000_000_000L;

  private static QueueJob job(long id) {
    return new QueueJob(id, 0, 100 * S, 1, 1, 1, 1, 0, 0, 0);
  }

  private static QueueOutcome outcome(long startOneS, long endOneS, long startTwoS, long endTwoS) {
    return new QueueOutcome(
        new long[] {startOneS * S, startTwoS * S},
        new long[] {endOneS * S, endTwoS * S},
        List.of(List.of(), List.of()));
  }

  @Test
  void positiveIsBetterForTheJob() {
    Differences differences =
        Differences.of(
            List.of(job(1), job(2)), outcome(100, 200, 300, 400), outcome(60, 170, 310, 410));
    assertEquals(List.of(40.0, -10.0), boxed(differences.waitS()));
    assertEquals(List.of(-10.0, 0.0), boxed(differences.runS()));
    assertEquals(List.of(30.0, -10.0), boxed(differences.lifeS()));
    assertEquals(100 * 15 / 200.0, differences.waitPercent());
    assertEquals(100 * -5 / 100.0, differences.runPercent());
    assertEquals(100 * 10 / 300.0, differences.lifePercent());
    assertEquals(50, Differences.worsePercent(differences.waitS()));
    assertEquals(10, Differences.worseS(differences.waitS()));
    assertEquals(-10, Differences.leastOf(differences.runS()));
    assertEquals(25, Differences.deviation(differences.waitS()));
  }

  @Test
  void aSecondMoreOrLessIsTheSame() {
    assertEquals(25, Differences.worsePercent(-0.5, 0, 0.5, -2));
    assertEquals(2, Differences.worseS(-0.5, 0, 0.5, -2));
  }

  private static List<Double> boxed(double... values) {
    return Arrays.stream(values).boxed().toList();
  }
}
