package org.schedgpu.agent.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLocksTest {
  @TempDir Path folder;

  @Test
  void theHolderOfTheAgentsLockIsSeenAsLongAsItLives() throws IOException {
    assertEquals(OptionalLong.empty(), AgentLock.holder(folder));
    try (AgentLock lock = AgentLock.take(folder)) {
      assertEquals(folder, lock.runDir());
      OptionalLong holder = AgentLock.holder(folder);
      for (int i = 0; i < 100 && holder.isEmpty(); i++) {
        holder = AgentLock.holder(folder); // a list that changes while it is read may lack it
      }
      assertEquals(OptionalLong.of(ProcessHandle.current().pid()), holder);
    }
    assertEquals(true, Files.exists(folder.resolve("agent.lock")));
    assertEquals(OptionalLong.empty(), AgentLock.holder(folder));
  }

  @Test
  void onlyAWriteLockOnThatFileCounts() {
    assertEquals(
        OptionalLong.of(812),
        FileLocks.writer(
            List.of(
                "1: FLOCK  ADVISORY  WRITE 811 00:1a:47 0 EOF",
                "2: POSIX  ADVISORY  READ  809 00:1a:47 0 EOF",
                "3: POSIX  ADVISORY  WRITE 810 00:1b:47 0 EOF",
                "4: POSIX  ADVISORY  WRITE 808 00:1a:4 0 EOF",
                "5: POSIX  ADVISORY  WRITE 812 00:1a:47 0 EOF",
                "5: -> POSIX  ADVISORY  WRITE 813 00:1a:47 0 EOF"),
            "00:1a:47"));
    assertEquals(
        OptionalLong.empty(),
        FileLocks.writer(
            List.of("5: -> POSIX  ADVISORY  WRITE 813 00:1a:47 0 EOF", "1: x"), "00:1a:47"));
    assertEquals(
        OptionalLong.empty(), // of a process in another pid namespace
        FileLocks.writer(List.of("1: POSIX  ADVISORY  WRITE -1 00:1a:47 0 EOF"), "00:1a:47"));
  }

  @Test
  void aDeviceIsWrittenAsLinuxNumbersIt() {
    assertEquals("00:1a:4711", FileLocks.name(0x1a, 4711));
    assertEquals("103:01:7", FileLocks.name(0x10301, 7));
    assertEquals("08:123:7", FileLocks.name(0x100823, 7));
  }
}
