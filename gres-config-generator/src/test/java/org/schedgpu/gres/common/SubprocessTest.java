package org.schedgpu.gres.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.Subprocess.End;
import org.schedgpu.gres.common.Subprocess.Result;

/** The shell stands in for all programs. */
class SubprocessTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path folder;

  private static Subprocess sh(String script) {
    return Subprocess.of("sh", "-c", script);
  }

  @Test
  void streamsAndExitCodeAreTold() throws IOException {
    assertEquals(
        new Result(End.ENDED, 3, "out\n", "err\n", Optional.of("ended with exit code 3")),
        sh("cat; echo out; echo err >&2; exit 3").run(LONG));
    assertEquals(
        new Result(End.ENDED, 0, "out\nerr\n", "", Optional.empty()),
        sh("echo out; echo err >&2").merged().run(LONG));
  }

  @Test
  void bothStreamsAreReadWhileItRuns() throws IOException {
    Result result = sh("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero").run(LONG);
    assertEquals(1_000_000, result.out().length());
    assertEquals(1_000_000, result.err().length());
  }

  @Test
  void whatPrintsWithoutEndIsKilled() throws IOException {
    for (String script : new String[] {"yes", "yes >&2"}) {
      Result result = sh(script).maxBytes(2 << 20).run(LONG);
      assertEquals(End.TALKATIVE, result.end());
      assertEquals(Optional.of("prints more than 2 MiB"), result.problem());
    }
  }

  @Test
  void whatADetachedOneSaidBeforeTheDeadlineIsKept() throws IOException {
    Result result = null;
    for (int seconds = 1;
        seconds <= 100 && (result == null || result.err().isEmpty());
        seconds *= 10) {
      result =
          sh("echo out; echo err >&2; exec sleep 1000").detached().run(Duration.ofSeconds(seconds));
    }
    assertEquals(new Result(End.LATE, -1, "out\n", "err\n", result.problem()), result);
  }

  private static Optional<ProcessHandle> written(Path pid) throws IOException {
    return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));
  }

  @Test
  void whatDoesNotEndIsKilledWithItsChildren() throws IOException {
    Path pid = folder.resolve("pid");
    String script = "sleep 1000 & echo $! > " + pid + "; wait";
    // On a busy host the echo may come later, so the limit is generous.
    for (int seconds = 1; seconds <= 100 && !hasText(pid); seconds *= 10) {
      Optional<String> late = Optional.of("did not end within " + seconds + " s");
      Result result = sh(script).run(Duration.ofSeconds(seconds));
      assertEquals(End.LATE, result.end());
      assertEquals(late, result.problem());
    }
    written(pid).ifPresent(process -> process.onExit().join());
  }

  private static boolean hasText(Path file) throws IOException {
    return Files.exists(file) && !Files.readString(file).isBlank();
  }

  @Test
  void aDaemonLeftBehindIsWaitedForOnlyOnAPipe() throws IOException {
    Path pid = folder.resolve("pid");
    String script = "sleep 1000 & echo $! > " + pid + "; echo out";
    Result result = sh(script).detached().run(LONG);
    assertEquals(new Result(End.ENDED, 0, "out\n", "", Optional.empty()), result);
    written(pid).ifPresent(ProcessHandle::destroyForcibly);
    assertEquals(End.LATE, sh(script).run(Duration.ofSeconds(1)).end());
    written(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  @Test
  void theEndOfAFileIsKept() throws IOException {
    assertEquals("6789\n", sh("echo 0123456789").detached().maxBytes(5).run(LONG).out());
  }

  @Test
  void anInterruptedThreadStaysInterrupted() throws IOException {
    Subprocess.Running sleep = sh("exec sleep 1000").start();
    Thread.currentThread().interrupt();
    Result result = sleep.end(LONG);
    assertTrue(Thread.interrupted());
    assertEquals(End.INTERRUPTED, result.end());
    assertTrue(sleep.endsWithin(LONG));
  }

  @Test
  void aProgramThatIsNotThere() {
    IOException e = assertThrows(IOException.class, () -> Subprocess.of("/nosuch").run(LONG));
    assertTrue(e.getMessage().contains("\"/nosuch\""), e.getMessage());
  }
}
