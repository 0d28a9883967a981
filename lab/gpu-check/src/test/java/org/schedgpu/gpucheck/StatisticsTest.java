package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.schedgpu.gpucheck.Statistics.Median;

class StatisticsTest {
  private static List<Double> upTo(int n) {
    return IntStream.rangeClosed(1, n).mapToObj(i -> (double) i).toList();
  }

  @Test
  void medianOfAnEvenNumberLiesBetweenTheMiddleOnes() {
    assertEquals(10.5, Statistics.median(upTo(20)).value());
  }

  /**
   * Textbook values: between the sixth and the fifteenth of 20 lie 95.9 %, between the second and
   * the seventh of 8 lie 93 %.
   */
  @Test
  void intervalIsThatOfTheBinomialDistribution() {
    assertEquals(new Median(10.5, 6, 15), Statistics.median(upTo(20)));
    assertEquals(new Median(4.5, 1, 8), Statistics.median(upTo(8)));
    assertEquals(new Median(5, 2, 8), Statistics.median(upTo(9)));
  }

  @Test
  void fewValuesGiveNoNarrowerIntervalThanTheyAre() {
    assertEquals(new Median(3, 1, 5), Statistics.median(upTo(5)));
    assertEquals(new Median(7, 7, 7), Statistics.median(List.of(7.0)));
  }

  @Test
  void orderDoesNotMatter() {
    assertEquals(new Median(2, 1, 3), Statistics.median(List.of(3.0, 1.0, 2.0)));
  }

  @Test
  void nothingHasNoMedian() {
    assertThrows(IllegalArgumentException.class, () -> Statistics.median(List.of()));
  }
}
