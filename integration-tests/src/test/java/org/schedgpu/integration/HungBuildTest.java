package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that hang are named, and end: {@code build-support/within}. */
class HungBuildTest {
  private static final String ALWAYS = "600";
  private static final String NEVER = "0.02";
  private static final int TIMED_OUT = 124;

  @TempDir Path folder;

  private Process within(String minutes, String script) throws IOException {
    Path log =
        Files.writeString(
            folder.resolve("java.log"),
            """
            [INFO] Running org.schedgpu.OneTest
            [INFO] Running org.schedgpu.HungTest
            [INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0 -- in org.schedgpu.OneTest
            """);
    String within = Build.root().resolve("build-support/within").toString();
    return new ProcessBuilder(within, minutes, log.toString(), "sh", "-c", script)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .start();
  }

  private static String outputOf(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** A process that outlives its parent, the script; its number is in the file {@code child}. */
  private static final String HANGS = "sleep 1000 & echo $! > child; echo waits; wait";

  private void requireNamedAndEnded(Process process, String output) throws Exception {
    assertEquals(TIMED_OUT, process.waitFor(), output);
    assertTrue(output.contains("\n  org.schedgpu.HungTest\n"), output);
    assertFalse(output.contains("OneTest"), output);
    assertTrue(output.contains("sleep 1000"), output);
    long child = Long.parseLong(Files.readString(folder.resolve("child")).strip());
    Eventually.that(
        "process " + child + " has ended",
        () -> ProcessHandle.of(child).map(handle -> !handle.isAlive()).orElse(true),
        () -> output);
  }

  @Test
  void whatHangsIsNamedAndEnds() throws Exception {
    Process process = within(NEVER, HANGS);
    requireNamedAndEnded(process, outputOf(process));
  }

  @Test
  void soItIsIfSomebodyElseEndsTheBuild() throws Exception {
    Process process = within(ALWAYS, HANGS);
    assertEquals('w', process.getInputStream().read()); // the script has begun
    process.toHandle().destroy(); // Process.destroy() would close the output
    requireNamedAndEnded(process, outputOf(process));
  }

  @Test
  void theStatusIsThatOfTheCommand() throws Exception {
    Process process = within(ALWAYS, "echo said; exit 3");
    assertEquals("said\n", outputOf(process));
    assertEquals(3, process.waitFor());
  }
}
