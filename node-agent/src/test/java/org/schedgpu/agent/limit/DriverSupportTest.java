package org.schedgpu.agent.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DriverSupportTest {
  private final List<String> told = new ArrayList<>();
  private final DriverSupport support = new DriverSupport(told::add);
  private int probes;

  private boolean has(int opened, boolean answer) {
    return support.has(
        opened,
        () -> {
          probes++;
          return answer;
        });
  }

  @Test
  void aDriverIsAskedOnceAndReportedOnceIfItHasNone() {
    assertFalse(has(1, false));
    assertFalse(has(1, false));
    assertEquals(1, probes);
    assertEquals(1, told.size());
  }

  @Test
  void whatRefusesIsNotAskedAgain() {
    assertTrue(has(1, true));
    support.hasNone();
    assertFalse(has(1, true));
    assertEquals(1, told.size());
  }

  @Test
  void anotherDriverIsAskedAgain() {
    assertFalse(has(1, false));
    assertTrue(has(2, true));
    assertFalse(has(3, false));
    assertEquals(3, probes);
    assertEquals(1, told.size());
  }
}
