package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void theEarlierOfTwoCounts() {
    Deadline day = Deadline.in(Duration.ofDays(1));
    assertTrue(day.within(HOUR).left().compareTo(HOUR) <= 0);
    assertTrue(Deadline.in(HOUR).within(Duration.ofDays(1)).left().compareTo(HOUR) <= 0);
  }

  @Test
  void whatIsOverAllowsNothingAndIsNotNegative() {
    Deadline over = Deadline.in(Duration.ofNanos(-1));
    assertTrue(over.isOver());
    assertEquals(Duration.ZERO, over.left());
    assertFalse(over.allows(Duration.ofNanos(1)));
    assertTrue(Deadline.in(HOUR).allows(Duration.ofMinutes(59)));
  }
}
