package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.GresException;

/** The administrator's commands. */
class ShellTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path folder;
  private final Shell shell = new Shell();

  @Test
  void outputIsReportedOnFailureOnly() {
    assertEquals(Optional.empty(), shell.run("echo well; echo done >&2", LONG));
    assertEquals(
        Optional.of("ended with exit code 3\nout\nerr"),
        shell.run("echo out; echo err >&2; exit 3", LONG));
  }

  @Test
  void commandThatHangsIsEndedWithItsChildren() {
    String why = "";
    // On a busy host the echo may come later, so the limit is generous.
    for (int seconds = 1; seconds <= 100 && !why.contains("\n"); seconds *= 10) {
      why = shell.run("echo $$; sleep 1000 | cat", Duration.ofSeconds(seconds)).orElseThrow();
      assertTrue(why.startsWith("did not end within " + seconds + " s"), why);
    }
    long pid = Long.parseLong(why.lines().skip(1).findFirst().orElseThrow());
    ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
  }

  @Test
  void daemonThatACommandLeavesBehindIsNotWaitedFor() throws Exception {
    Path pid = folder.resolve("pid");
    assertEquals(Optional.empty(), shell.run("sleep 1000 & echo $! > " + pid, LONG));
    ProcessHandle daemon =
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
    assertTrue(daemon.isAlive());
    daemon.destroyForcibly();
  }

  @Test
  void everyNodeHasItsOwnCommand() throws Exception {
    List<String> nodes = IntStream.range(0, 20).mapToObj(i -> "gpu" + i).toList();
    Map<String, String> failed =
        shell.runForEach(
            "[ %n != gpu7 ] && touch " + folder + "/%n || { echo no; exit 9; }", nodes, LONG);
    assertEquals(Map.of("gpu7", "ended with exit code 9\nno"), failed);
    try (var files = Files.list(folder)) {
      assertEquals(19, files.count());
    }
  }

  @Test
  void commandWithoutNodeRunsOnce() throws Exception {
    Path file = folder.resolve("runs");
    assertEquals(Map.of(), shell.runForEach("echo once >> " + file, List.of("gpu1", "gpu2"), LONG));
    assertEquals("once\n", Files.readString(file));
    assertEquals(
        List.of("a", "b"),
        List.copyOf(shell.runForEach("exit 1", List.of("a", "b"), LONG).keySet()));
  }

  @Test
  void nameThatTheShellWouldReadOtherwiseIsRefused() {
    assertThrows(GresException.class, () -> Shell.forNode("ssh %n", "gpu1;reboot"));
    assertThrows(GresException.class, () -> Shell.forNode("ssh %n", "-oProxyCommand=x"));
    assertEquals("ssh gpu-1.x date", Shell.forNode("ssh %n date", "gpu-1.x"));
  }
}
