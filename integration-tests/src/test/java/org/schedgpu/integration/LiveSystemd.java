package org.schedgpu.integration;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A real systemd that owns nothing of this host: src/test/sh/live-systemd. It always ends with this
 * process.
 */
final class LiveSystemd {
  private static final int CANNOT = 77;
  private static final int LIMIT_S = 300;
  private static final String PATH =
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  private final Process script;
  private final String pid;

  private LiveSystemd(Process script, String pid) {
    this.script = script;
    this.pid = pid;
  }

  /** The output of a command, stdout and stderr together, and its exit status. */
  record Output(int status, String text) {}

  /** Boots it. Skips the test, with the reason, if this host cannot. */
  static LiveSystemd boot() throws Exception {
    Path errors = Files.createTempFile("live-systemd", ".log");
    try {
      Process script =
          new ProcessBuilder(
                  Build.root().resolve("integration-tests/src/test/sh/live-systemd").toString(),
                  "schedgpu-test-" + ProcessHandle.current().pid())
              .redirectError(errors.toFile())
              .start();
      BufferedReader output = script.inputReader(StandardCharsets.UTF_8);
      String pid = output.readLine();
      if (pid == null) {
        int status = script.waitFor();
        String text = Files.readString(errors);
        Assumptions.assumeFalse(status == CANNOT, text);
        throw new AssertionError("no systemd: exit status " + status + ": " + text);
      }
      return new LiveSystemd(script, pid);
    } finally {
      Files.delete(errors);
    }
  }

  /** A file of the machine, seen from here. */
  Path file(String inside) {
    return Path.of("/proc", pid, "root" + inside);
  }

  /** Writes a file of the machine, with its folder. */
  void write(String inside, String text) throws IOException {
    Files.createDirectories(file(inside).getParent());
    Files.writeString(file(inside), text);
  }

  /**
   * Starts a command in the machine, as root, with these variables and a PATH, for at most five
   * minutes.
   */
  Process start(Map<String, String> environment, List<String> command) throws IOException {
    List<String> words = new ArrayList<>(List.of("nsenter", "--all", "--target", pid, "env", "-i"));
    words.add(PATH);
    environment.forEach((name, value) -> words.add(name + "=" + value));
    words.addAll(List.of("timeout", "--kill-after=5", Integer.toString(LIMIT_S)));
    words.addAll(command);
    return new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectInput(Path.of("/dev/null").toFile())
        .start();
  }

  /** Runs a command to its end. */
  Output run(Map<String, String> environment, String... command) throws Exception {
    Process process = start(environment, List.of(command));
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Output(process.waitFor(), text);
  }

  /** The output of a command that must succeed. */
  String must(String... command) {
    try {
      Output output = run(Map.of(), command);
      if (output.status() != 0) {
        throw new AssertionError(String.join(" ", command) + ": " + output);
      }
      return output.text().strip();
    } catch (Exception failed) {
      throw new AssertionError(String.join(" ", command), failed);
    }
  }

  /** Ends it with everything that runs there. */
  void end() throws Exception {
    script.getOutputStream().close();
    if (!script.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
      throw new AssertionError("live-systemd does not end: process " + script.pid());
    }
  }
}
