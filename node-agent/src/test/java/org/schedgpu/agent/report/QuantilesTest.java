package org.schedgpu.agent.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class QuantilesTest {
  private static final List<Long> TEN = List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 100L);

  @Test
  void eachIsAValueThatWasThere() {
    assertEquals(5, Quantiles.of(TEN, 50));
    assertEquals(100, Quantiles.of(TEN, 95));
    assertEquals(9, Quantiles.of(TEN, 90));
    assertEquals(1, Quantiles.of(TEN, 0));
  }

  @Test
  void ofOneValueAllAreIt() {
    assertEquals(7, Quantiles.of(List.of(7L), 50));
    assertEquals(7, Quantiles.of(List.of(7L), 95));
  }

  @Test
  void ofNoneTheyAreZero() {
    assertEquals(0, Quantiles.of(List.of(), 50));
  }
}
