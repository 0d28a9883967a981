package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent's ways to wait, on the real kernel. */
class WaitingTest {
  private static final long LONG_NS = TimeUnit.MINUTES.toNanos(1);

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  @Test
  void aWakeThatCameEarlyEndsTheNextWaitAndNoOther() {
    try (Poll poll = new Poll()) {
      poll.wake();
      poll.wake();
      assertArrayEquals(new boolean[0], poll.await(LONG_NS));
      poll.await(
          0); // no event of them remains: otherwise this call would return only after its time
      // limit
      Thread waker = new Thread(poll::wake);
      waker.start();
      poll.await(LONG_NS);
    }
  }

  @Test
  void whoWakesTooLateWritesIntoNobodysDescriptor() {
    Poll poll = new Poll();
    poll.close();
    int[] others = new int[64]; // one of them has its number
    for (int i = 0; i < others.length; i++) {
      others[i] = Linux.eventfd(0, Linux.CLOEXEC | Linux.NONBLOCK);
    }
    poll.wake();
    poll.close();
    for (int other : others) {
      assertThrows(LastErrorException.class, () -> Linux.read(other, new byte[8], 8));
      Linux.close(other);
    }
  }

  @Test
  void theReadableDescriptorIsReported() throws IOException {
    Path file = Files.createFile(folder.resolve("f"));
    try (Poll poll = new Poll();
        FileWatch quiet = new FileWatch();
        FileWatch watch = new FileWatch()) {
      assertTrue(watch.watchReleases(file));
      Files.writeString(file, "x");
      assertArrayEquals(
          new boolean[] {false, false, true},
          poll.await(LONG_NS, quiet.descriptor(), -1, watch.descriptor()));
      assertTrue(watch.drain());
      assertFalse(watch.drain());
      assertArrayEquals(new boolean[] {false}, poll.await(0, watch.descriptor()));
    }
  }

  @Test
  void onlyWhoCouldWriteCountsAndOnlyWhenHeLetsGo() throws IOException {
    Path file = Files.createFile(folder.resolve("f"));
    try (FileWatch watch = new FileWatch()) {
      assertTrue(watch.watchReleases(file));
      try (FileChannel writer = FileChannel.open(file, StandardOpenOption.WRITE)) {
        assertTrue(writer.isOpen());
        assertEquals("", Files.readString(file));
        assertFalse(watch.drain());
      }
      assertTrue(watch.drain());
      Files.delete(file);
      assertTrue(watch.drain());
      assertFalse(watch.watchReleases(file));
    }
  }

  @Test
  void aFileThatIsReplacedIsReported() throws IOException {
    Path other = Files.createFile(folder.resolve("other"));
    try (FileWatch watch = new FileWatch()) {
      assertTrue(watch.watchReplacements(folder));
      Files.writeString(other, "in place");
      assertFalse(watch.drain());
      Files.move(other, folder.resolve("f"), StandardCopyOption.ATOMIC_MOVE);
      assertTrue(watch.drain());
    }
  }

  @Test
  void aProcessIsTheOneThatItWas() throws Exception {
    Process sleeper = new ProcessBuilder("sleep", "600").start();
    try (PidFd process = PidFd.open((int) sleeper.pid()).orElseThrow()) {
      assertFalse(process.ended());
      assertTrue(process.kill(15));
      assertEquals(143, sleeper.waitFor());
      assertTrue(process.ended());
      assertFalse(process.kill(15));
    } finally {
      sleeper.destroyForcibly();
    }
    assertTrue(PidFd.open(Integer.MAX_VALUE).isEmpty());
  }

  @Test
  void whatIsReportedArrivesAtTheSocketThatTheEnvironmentNames() throws Exception {
    for (String name : new String[] {folder.resolve("notify").toString(), "@schedgpu-" + folder}) {
      try (DatagramEnd end = DatagramEnd.bind(name)) {
        ServiceNotice.of(Map.of("NOTIFY_SOCKET", name)).send("READY=1\nSTATUS=all is well");
        assertEquals("READY=1\nSTATUS=all is well", end.receive());
      }
    }
  }

  @Test
  void withoutASocketNothingIsReported() {
    ServiceNotice.of(Map.of()).send("READY=1");
    ServiceNotice.of(Map.of("NOTIFY_SOCKET", folder + "/nobody")).send("READY=1");
    ServiceNotice.of(Map.of("NOTIFY_SOCKET", "x".repeat(200))).send("READY=1");
  }

  @Test
  void theWatchdogIsOursUnlessAnotherProcessIsNamed() {
    String pid = Long.toString(ProcessHandle.current().pid());
    assertEquals(OptionalLong.of(30_000_000_000L), watchdog("30000000", Optional.of(pid)));
    assertEquals(OptionalLong.of(30_000_000_000L), watchdog("30000000", Optional.empty()));
    assertEquals(OptionalLong.empty(), watchdog("30000000", Optional.of("1")));
    assertEquals(OptionalLong.empty(), watchdog("0", Optional.of(pid)));
    assertEquals(OptionalLong.empty(), ServiceNotice.of(Map.of()).watchdogNs());
  }

  private static OptionalLong watchdog(String usec, Optional<String> pid) {
    return ServiceNotice.of(
            pid.map(p -> Map.of("WATCHDOG_USEC", usec, "WATCHDOG_PID", p))
                .orElse(Map.of("WATCHDOG_USEC", usec)))
        .watchdogNs();
  }
}
