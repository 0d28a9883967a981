package org.schedgpu.agent.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogFormatTest {
  private static String line(boolean journal, Level level, String text) {
    LogRecord message = new LogRecord(level, text);
    message.setInstant(Instant.parse("2026-11-22T03:04:05.678901Z"));
    return new LogFormat(journal).format(message);
  }

  @Test
  void theJournalGetsThePriorityAndNoTime() {
    assertEquals("<3>no\n", line(true, Level.SEVERE, "no"));
    assertEquals("<4>no\n", line(true, Level.WARNING, "no"));
    assertEquals("<6>yes\n", line(true, Level.INFO, "yes"));
    assertEquals("<7>yes\n", line(true, Level.FINE, "yes"));
  }

  @Test
  void elseTimeAndLevelComeFirst() {
    assertEquals("2026-11-22T03:04:05.678Z warning no\n", line(false, Level.WARNING, "no"));
    assertEquals("2026-11-22T03:04:05.678Z info    yes\n", line(false, Level.INFO, "yes"));
  }

  /** A program may have any name, but cannot forge a line of the log. */
  @Test
  void aNameWritesNoLineOfItsOwn() {
    assertEquals("<6>program=a?<3>b?[2J\n", line(true, Level.INFO, "program=a\n<3>b\033[2J"));
    assertEquals("<6>program=a?b?2J\n", line(true, Level.INFO, "program=a\u2028b\u009b2J"));
  }

  @Test
  void everyLineOfAnErrorHasItsPriority() {
    LogRecord message = new LogRecord(Level.SEVERE, "defect");
    message.setThrown(new IllegalStateException("x"));
    String text = new LogFormat(true).format(message);
    assertTrue(text.startsWith("<3>defect\n<3>java.lang.IllegalStateException: x\n<3> at "), text);
    assertTrue(text.lines().allMatch(line -> line.startsWith("<3>")), text);
  }

  @Test
  void stderrIsTheJournalOnlyIfItIsTheFileThatSystemdNamed() {
    assertFalse(AgentLog.isJournal(Map.of()));
    assertFalse(AgentLog.isJournal(Map.of("JOURNAL_STREAM", "1:2")));
  }
}
