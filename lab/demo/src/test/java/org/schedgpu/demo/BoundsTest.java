package org.schedgpu.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BoundsTest {
  private final Bounds bounds = Bounds.of(Fixtures.PROGRAMS);

  @Test
  void sequentialIsTheSumOfTheJobsAlone() {
    assertEquals(4 * (226.847 + 322.799 + 69.144), bounds.sequentialSeconds(), 1e-9);
  }

  @Test
  void gpuTimeIsTheSumOfTheKernels() {
    assertEquals(4 * (1.16 + 7.94 + 48.04), bounds.gpuSeconds(), 1e-9);
  }

  @Test
  void memoryIsAverageTimesTime() {
    double expected = 4 * (226.847 * 0.0037 + 322.799 * 0.0404 + 69.144 * 0.3373);
    assertEquals(expected, bounds.memorySeconds(), 1e-9);
  }

  @Test
  void longestJobIsTheBoundOfThisWorkload() {
    assertEquals(322.799, bounds.totalSeconds());
  }

  @Test
  void anyOfTheThreeMayBeTheLargest() {
    assertEquals(3, new Bounds(9, 1, 2, 3).totalSeconds());
    assertEquals(3, new Bounds(9, 1, 3, 2).totalSeconds());
  }
}
