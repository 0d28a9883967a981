package org.schedgpu.agent.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.Main;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.SchedGpu;

/** {@code schedgpu top} as its user sees it: on a terminal, and without one. */
class TopTest {
  private static final int SIGINT = 2;
  private static final int SIGTERM = 15;
  private static final int SIGCONT = 18;
  private static final String CTRL_C = "\u0003";
  private static final String CTRL_Z = "\u001a";
  private static final String LEAVES_ALTERNATE_SCREEN = "\u001b[?1049l";

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;

  @BeforeEach
  void makeNode() throws IOException {
    RealLibrary.require();
    node = new TestNode(folder);
    node.makeRegion();
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (node != null) {
      node.close();
    }
  }

  /** Reports when it waits for a key, and continues after its clean-up. */
  static final class Lingering {
    public static void main(String[] words) {
      Thread watch = new Thread(Lingering::sayThatItReads);
      watch.setDaemon(true);
      watch.start();
      Runtime.getRuntime().addShutdownHook(new Thread(Lingering::lingerOn));
      Main.main(words);
    }

    private static void sayThatItReads() {
      while (Thread.getAllStackTraces().entrySet().stream()
          .noneMatch(entry -> readsKeys(entry.getKey(), entry.getValue()))) {
        Thread.onSpinWait();
      }
      note("reading");
    }

    private static boolean readsKeys(Thread thread, StackTraceElement[] stack) {
      return thread.getName().equals("keys")
          && stack.length > 0
          && stack[0].getClassName().equals(FileInputStream.class.getName());
    }

    private static void lingerOn() {
      note("ending");
      while (true) {
        LockSupport.park(); // until it is killed
      }
    }

    private static void note(String name) {
      try {
        Files.writeString(Path.of(name), "yes");
      } catch (IOException problem) {
        throw new UncheckedIOException(problem);
      }
    }
  }

  private Pty onTerminal() throws IOException {
    return onTerminal(Main.class);
  }

  private Pty onTerminal(Class<?> program) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Dschedgpu.terminal=true",
            "-Dschedgpu.library=" + System.getProperty("schedgpu.library"),
            "-cp",
            System.getProperty("java.class.path"),
            program.getName(),
            "top",
            "--conf",
            node.conf().toString(),
            "--run-dir",
            node.runDir().toString(),
            "--interval",
            "200ms");
    Path notes = Files.createTempDirectory(folder, "pty");
    return new Pty(notes, command, Map.of());
  }

  private static void assertLeft(Pty pty, int status) throws Exception {
    assertEquals(Integer.toString(status), pty.note("status"), pty::written);
    assertEquals(pty.note("before"), pty.note("after"));
    pty.awaitWritten(LEAVES_ALTERNATE_SCREEN);
  }

  @Test
  void keysChangeWhatIsShownAndQGivesTheTerminalBack() throws Exception {
    try (Pty pty = onTerminal()) {
      pty.await(text -> text.contains("No jobs.") && text.contains("sort: held"));
      pty.type("s");
      pty.await(text -> text.contains("sort: in use"));
      pty.type("d");
      pty.await(text -> text.contains("device: 0"));
      pty.type("?");
      pty.await(text -> text.contains("one device after the other"));
      pty.type("?p");
      pty.await(text -> text.contains("paused") && text.contains("No jobs."));
      pty.resize(100, 30);
      pty.await(text -> text.lines().skip(29).anyMatch(line -> line.contains("q quit")));
      pty.type("q");
      assertLeft(pty, 0);
    }
  }

  /** A reader of keys reads until the process ends, and may get input for the shell. */
  @Test
  void aKeyThatIsReadAfterTheEndLeavesTheTerminalAsItWas() throws Exception {
    try (Pty pty = onTerminal(Lingering.class)) {
      pty.note("reading");
      pty.type(CTRL_C);
      pty.note("ending");
      pty.type("late\n");
      pty.awaitRead("late");
      assertEquals(pty.note("before"), pty.modes());
    }
  }

  @Test
  void whileItIsStoppedTheShellHasItsTerminal() throws Exception {
    try (Pty pty = onTerminal()) {
      pty.await(text -> text.contains("No jobs."));
      assertFalse(pty.modes().equals(pty.note("before")));
      pty.type(CTRL_Z);
      TestNode.await("it is stopped", () -> state(pty.pid()) == 'T');
      assertEquals(pty.note("before"), pty.modes());
      Posix.kill(pty.pid(), SIGCONT);
      pty.awaitModesOfBefore(false); // before that, a key would wait for the end of its line
      pty.type("s");
      pty.await(text -> text.contains("sort: in use"));
      pty.type(CTRL_C);
      assertLeft(pty, 0);
    }
  }

  private static char state(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }

  @Test
  void whoeverEndsItTheTerminalIsGivenBack() throws Exception {
    for (int signal : List.of(SIGTERM, SIGINT)) {
      try (Pty pty = onTerminal()) {
        pty.await(text -> text.contains("No jobs."));
        Posix.kill(pty.pid(), signal);
        assertLeft(pty, signal == SIGINT ? 0 : 128 + signal);
      }
    }
  }

  @Test
  void aRegionMayGoAndComeBack() throws Exception {
    try (Pty pty = onTerminal()) {
      pty.await(text -> text.contains("No jobs."));
      TestNode.await("nobody has the region open", this::removed); // as it has once an interval
      pty.await(text -> text.contains("no region"));
      node.makeRegion();
      pty.await(text -> text.contains("No jobs."));
      Process holder = node.startHolder(folder.resolve("log"), "2G");
      TestNode.await(folder.resolve("log"), "holds", 1, holder);
      pty.await(text -> text.contains("run:" + holder.pid()));
      pty.type("q");
      assertLeft(pty, 0);
    }
  }

  private boolean removed() {
    return SchedGpu.remove(node.runDir(), true);
  }

  private Cli top(String... options) {
    List<String> words =
        new ArrayList<>(
            List.of(
                "top", "--conf", node.conf().toString(), "--run-dir", node.runDir().toString()));
    words.addAll(List.of(options));
    return Cli.run(words.toArray(new String[0]));
  }

  @Test
  void withoutATerminalItShowsOnceAndEnds() {
    Cli cli = top();
    assertEquals(0, cli.exitCode(), cli::err);
    assertTrue(cli.out().contains("No jobs."), cli::out);
    assertTrue(cli.out().contains("16.0 free of 16.0 GiB"), cli::out);
    assertFalse(cli.out().contains("\u001b"), cli::out);
    assertEquals("", cli.err());
  }

  @Test
  void onceAsJsonIsOneDocument() {
    Cli cli = top("--once", "--json");
    assertEquals(0, cli.exitCode(), cli::err);
    assertTrue(cli.out().startsWith("{\n"), cli::out);
    assertTrue(cli.out().endsWith("}\n"), cli::out);
    assertTrue(cli.out().contains("\"freeBytes\": 17179869184"), cli::out);
  }

  @Test
  void wrongUsageIsReported() {
    Cli cli = top("--interval", "99ms");
    assertEquals(2, cli.exitCode());
    assertTrue(cli.err().contains("--interval 99ms is no time of at least 100ms"), cli::err);
  }

  @Test
  void withoutARegionOnceFails() {
    SchedGpu.remove(node.runDir(), true);
    assertEquals(3, top("--once").exitCode());
  }

  /** The estimate and the reason come from the queue of the region itself. */
  @Test
  void whoWaitsIsReportedWhyAndForHowLong() throws Exception {
    Path log = folder.resolve("log");
    Process first = node.startHolder(log, "10G");
    TestNode.await(log, "holds", 1, first);
    Process second = node.startHolder(folder.resolve("second"), "8G");
    TestNode.await(folder.resolve("second"), "waiting for", 1, second);
    String why = "needs 8.0 GiB, 5.5 free; behind run:" + first.pid() + " (holds 10.3)";
    Cli cli = top();
    assertTrue(cli.out().contains(why), cli::out);
    assertTrue(cli.out().contains("run:" + first.pid() + " has never run before"), cli::out);
    assertTrue(top("--once", "--json").out().contains("\"why\": \"" + why + "\""));
  }
}
