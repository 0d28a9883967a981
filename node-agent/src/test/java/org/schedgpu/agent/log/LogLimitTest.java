package org.schedgpu.agent.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
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

  private static IllegalStateException defect() {
    return new IllegalStateException();
  }

  @Test
  void otherPlacesAndOtherMinutesAreCountedAnew() {
    for (int i = 0; i < 5; i++) {
      log(Level.SEVERE, "first", defect());
    }
    log(Level.SEVERE, "elsewhere", new IllegalStateException());
    assertEquals(4, logged.size());
    nowNs = TimeUnit.MINUTES.toNanos(1) - 1;
    log(Level.SEVERE, "too early", defect());
    assertEquals(4, logged.size());
    nowNs++;
    log(Level.SEVERE, "next minute", defect());
    assertTrue(logged.get(4).startsWith("next minute (before this, 1 messages"));
  }

  @Test
  void warningsAreLoggedAgainInTheNextMinute() {
    for (int i = 0; i < 301; i++) {
      log(Level.WARNING, "warning", null);
    }
    assertEquals(300, logged.size());
    nowNs = TimeUnit.MINUTES.toNanos(1);
    log(Level.WARNING, "warning", null);
    assertEquals(301, logged.size());
  }

  @Test
  void theAgentsLogIsLimited() {
    Logger ours = Logger.getLogger("org.schedgpu.agent");
    Handler[] before = ours.getHandlers();
    boolean parents = ours.getUseParentHandlers();
    try {
      AgentLog.start(false);
      assertInstanceOf(LogLimit.class, ours.getHandlers()[0].getFilter());
    } finally {
      ours.removeHandler(ours.getHandlers()[0]);
      Arrays.stream(before).forEach(ours::addHandler);
      ours.setUseParentHandlers(parents);
    }
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
