package org.schedgpu.agent.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

/** A user who repeats a request that fails. */
class LogLimitTest {
  private final List<String> logged = new ArrayList<>();
  private long nowNs;
  private final LogLimit limit = new LogLimit(() -> nowNs);

  private void log(Level level, String text, Throwable thrown) {
    LogRecord message = new LogRecord(level, text);
    message.setThrown(thrown);
    if (limit.isLoggable(message)) {
      logged.add(message.getMessage());
    }
  }

  @Test
  void theSameStackIsLoggedThreeTimesAMinuteAndTheRestCounted() {
    for (int i = 0; i < 1000; i++) {
      log(Level.SEVERE, "defect", new IllegalStateException());
    }
    assertEquals(List.of("defect", "defect", "defect"), logged);
    nowNs = TimeUnit.MINUTES.toNanos(1);
    log(Level.SEVERE, "defect", new IllegalStateException());
    assertEquals(
        "defect (before this, 997 messages were left out: too many of their kind)", logged.get(3));
  }

  @Test
  void warningsAreLimitedAndEventsOfJobsAreNot() {
    for (int i = 0; i < 1000; i++) {
      log(Level.WARNING, "warning " + i, null);
      log(Level.INFO, "begin job=slurm:" + i, null);
    }
    assertEquals(300, logged.stream().filter(text -> text.startsWith("warning")).count());
    assertEquals(1000, logged.stream().filter(text -> text.startsWith("begin")).count());
    assertTrue(logged.get(601).startsWith("begin job=slurm:301 (before this, 1 messages"));
  }
}
