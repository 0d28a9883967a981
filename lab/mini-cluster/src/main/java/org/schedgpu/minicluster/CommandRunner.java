package org.schedgpu.minicluster;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a command to its end with its output collected. Thread-safe. */
final class CommandRunner {
  private static final File NOTHING = new File("/dev/null");
  private static final long DRAIN_MS = 10_000;

  private CommandRunner() {}

  /**
   * Runs a command with empty standard input.
   *
   * @param shown the command as errors and the result show it
   * @throws MiniClusterException if it cannot be started or exceeds the limit (it is then killed,
   *     with its descendants)
   */
  static CommandResult run(
      List<String> shown,
      List<String> command,
      Path directory,
      Map<String, String> additions,
      Duration limit) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(directory.toFile()).redirectInput(Redirect.from(NOTHING));
    Environments.prepare(builder.environment(), additions);
    Process process = start(builder, shown);
    Drain stdout = Drain.of(process.getInputStream());
    Drain stderr = Drain.of(process.getErrorStream());
    if (!waitFor(process, limit)) {
      throw new MiniClusterException(
          "'%s' did not end within %s and was killed; it had written:\n%s%s"
              .formatted(String.join(" ", shown), limit, stdout.text(), stderr.text()));
    }
    return new CommandResult(List.copyOf(shown), process.exitValue(), stdout.text(), stderr.text());
  }

  /** As the other {@code run}, in the root folder, with a limit of 2 min: for internal commands. */
  static CommandResult run(String... command) {
    List<String> words = List.of(command);
    return run(words, words, Path.of("/"), Map.of(), Duration.ofMinutes(2));
  }

  private static Process start(ProcessBuilder builder, List<String> shown) {
    try {
      return builder.start();
    } catch (IOException e) {
      throw new MiniClusterException("cannot run '%s'".formatted(String.join(" ", shown)), e);
    }
  }

  private static boolean waitFor(Process process, Duration limit) {
    boolean ended = false;
    try {
      ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    } finally {
      if (!ended) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }
    return ended;
  }

  /** Collects a stream on a thread of its own, so that a full pipe never stops the command. */
  private static final class Drain {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final Thread thread;

    private Drain(InputStream stream) {
      thread = new Thread(() -> copy(stream), "mini-cluster-drain");
      thread.setDaemon(true);
    }

    static Drain of(InputStream stream) {
      Drain drain = new Drain(stream);
      drain.thread.start();
      return drain;
    }

    /** The output so far. If a grandchild keeps the pipe open, the wait for it ends after 10 s. */
    String text() {
      try {
        thread.join(DRAIN_MS);
      } catch (InterruptedException e) {
        throw Waiting.interrupted(e);
      }
      return bytes.toString(StandardCharsets.UTF_8);
    }

    private void copy(InputStream stream) {
      try (stream) {
        stream.transferTo(bytes);
      } catch (IOException e) {
        byte[] note = ("[output lost: " + e.getMessage() + "]\n").getBytes(StandardCharsets.UTF_8);
        bytes.writeBytes(note);
      }
    }
  }
}
