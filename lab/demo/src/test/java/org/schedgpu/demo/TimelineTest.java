package org.schedgpu.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private final Timeline timeline = new Timeline(1_000_000_000, 20);

  @Test
  void secondsCountFromZeroAndAreScaledBack() {
    assertEquals(0, timeline.seconds(1_000_000_000));
    assertEquals(10, timeline.seconds(1_500_000_000));
    assertEquals(
        List.of(new Span(2, 4)), timeline.spans(List.of(List.of(1_100_000_000L, 1_200_000_000L))));
  }

  @Test
  void pointsAreThoseOfTheRun() {
    List<Sample> samples =
        List.of(
            new Sample(900_000_000, 1, 1, 0),
            new Sample(1_100_000_000, 50, 30, 0),
            new Sample(1_600_000_000, 1, 1, 0));
    assertEquals(List.of(new RunResult.Point(2, 25, 30)), timeline.points(samples, 11, 200));
  }

  @Test
  void busyShareIsOfTheWholeRun() {
    List<Sample> samples =
        List.of(new Sample(1_000_000_000, 0, 0, 7), new Sample(2_000_000_000, 0, 0, 500_000_007));
    assertEquals(50, timeline.busyPercent(samples, 20), 1e-9);
    assertEquals(-1, timeline.busyPercent(List.of(new Sample(1, 1, 1, -1)), 20));
    assertEquals(-1, timeline.busyPercent(List.of(), 20));
  }
}
