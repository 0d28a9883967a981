package org.schedgpu.agent.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.ServiceNotice;

class WatchdogTaskTest {
  private static long everyNs(Map<String, String> environment) {
    return new WatchdogTask(ServiceNotice.of(environment)).run(0);
  }

  @Test
  void aSignOfLifeIsGivenThriceInTheTimeThatSystemdWaits() {
    assertEquals(TimeUnit.SECONDS.toNanos(10), everyNs(Map.of("WATCHDOG_USEC", "30000000")));
  }

  @Test
  void withoutAWatchdogItSleeps() {
    assertEquals(TimeUnit.HOURS.toNanos(8), everyNs(Map.of()));
  }
}
