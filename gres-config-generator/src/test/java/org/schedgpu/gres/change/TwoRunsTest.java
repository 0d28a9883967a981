package org.schedgpu.gres.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.ChildJvm;
import org.schedgpu.gres.common.GresException;

/** A second run while another process is at work, and after that process was killed. */
class TwoRunsTest {
  @TempDir Path folder;
  private Process other;

  @BeforeEach
  void startTheOther() throws IOException {
    Files.writeString(folder.resolve("a.conf"), "old a\n");
    Files.writeString(folder.resolve("b.conf"), "old b\n");
    List<String> command = ChildJvm.command(StoppedApply.class.getName(), folder.toString());
    other = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(other.getInputStream(), StandardCharsets.UTF_8));
    assertEquals("stopped", output.readLine());
  }

  @AfterEach
  void killTheOther() throws InterruptedException {
    other.destroyForcibly().waitFor();
  }

  private void assertHolds(String a, String b) throws IOException {
    assertEquals(a, Files.readString(folder.resolve("a.conf")));
    assertEquals(b, Files.readString(folder.resolve("b.conf")));
  }

  private ConfigChanges changes() {
    return new ConfigChanges(folder);
  }

  @Test
  void secondRunNamesTheProcessOfTheFirst() throws IOException {
    String message =
        "schedgpu gres: process "
            + other.pid()
            + " on "
            + Files.readString(Path.of("/proc/sys/kernel/hostname")).strip()
            + " is changing the same configuration ("
            + folder.toRealPath().resolve("schedgpu-backup/lock")
            + "): wait for its end and repeat";
    assertEquals(
        message,
        assertThrows(GresException.class, () -> changes().apply(StoppedApply.requested(), false))
            .getMessage());
    assertEquals(
        message,
        assertThrows(GresException.class, () -> changes().revert(Optional.empty(), true))
            .getMessage());
    assertEquals("applying", changes().list().get(0).step(), "looking needs no lock");
    assertHolds("new a\n", "old b\n");
  }

  @Test
  void killedProcessIsFinishedByApply() throws Exception {
    killTheOther();
    assertHolds("new a\n", "old b\n");
    Outcome outcome = changes().apply(StoppedApply.requested(), false);
    assertHolds("new a\n", "new b\n");
    assertEquals(
        List.of("the interrupted change 20261120T201500Z-1 is now applied"), outcome.notes());
  }

  @Test
  void killedProcessIsUndoneByRevert() throws Exception {
    killTheOther();
    Outcome outcome = changes().revert(Optional.empty(), false);
    assertHolds("old a\n", "old b\n");
    assertEquals(
        List.of("the interrupted change 20261120T201500Z-1 is now reverted"), outcome.notes());
  }

  @Test
  void fileThatWasChangedAfterTheKillIsNotOverwritten() throws Exception {
    killTheOther();
    Files.writeString(folder.resolve("b.conf"), "by hand\n");
    String message =
        assertThrows(GresException.class, () -> changes().apply(StoppedApply.requested(), false))
            .getMessage();
    assertEquals(
        "schedgpu gres: "
            + folder.toRealPath().resolve("b.conf")
            + " was changed since the backup 20261120T201500Z-1: check what was changed, then"
            + " repeat with --force: the backup keeps the file\n@@ line 1 @@\n-old b\n"
            + "+by hand",
        message);
    assertHolds("new a\n", "by hand\n");
    changes().apply(StoppedApply.requested(), true);
    assertHolds("new a\n", "new b\n");
  }
}
