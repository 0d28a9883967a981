package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class IterationTest {
  private static final long S = 1_000_000_000L;

  @Test
  void aLineHasThreeTimes() {
    assertEquals(new Iteration(1, 2, 3), Iteration.parse("1 2 3"));
    String text = assertThrows(CheckException.class, () -> Iteration.parse("1 2")).getMessage();
    assertEquals("the program wrote '1 2', which is no iteration", text);
  }

  @Test
  void theRateCountsThePartsThatAreInside() {
    List<Iteration> two = List.of(new Iteration(0, 0, 2 * S), new Iteration(0, 2 * S, 4 * S));
    assertEquals(0.5, Iteration.rate(two, S, 3 * S));
    assertEquals(0, Iteration.rate(two, 5 * S, 6 * S));
  }

  @Test
  void anIterationThatBeginsBeforeAnotherHasEndedIsCounted() {
    Iteration first = new Iteration(0, 0, 10);
    assertEquals(0, Iteration.together(List.of(new Iteration(0, 10, 20), first)));
    assertEquals(1, Iteration.together(List.of(new Iteration(0, 9, 20), first)));
  }
}
