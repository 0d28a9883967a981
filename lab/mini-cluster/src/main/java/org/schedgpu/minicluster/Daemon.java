package org.schedgpu.minicluster;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * One daemon in the foreground, as a child of this JVM, which therefore learns its exit status and
 * reaps it. It has its own session, so Ctrl-C reaches only the JVM. If the JVM is killed, the
 * kernel ends the daemon. Thread-safe.
 */
final class Daemon {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * The kernel sends the parent-death signal when the <em>thread</em> that started the child ends.
   * So one thread, which lives as long as the JVM, starts all daemons.
   */
  private static final ExecutorService STARTER =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "mini-cluster-daemon-starter");
            thread.setDaemon(true);
            return thread;
          });

  private final String name;
  private final Process process;

  private Daemon(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /**
   * Starts a daemon as root.
   *
   * @param output both of its streams are appended to this file
   * @throws MiniClusterException if it cannot be started
   */
  static Daemon start(
      String name, List<String> command, Path output, Map<String, String> additions) {
    return start(name, List.of(), command, output, additions);
  }

  /** As {@link #start(String, List, Path, Map)}, with further setpriv options (another user). */
  static Daemon start(
      String name,
      List<String> privileges,
      List<String> command,
      Path output,
      Map<String, String> additions) {
    List<String> words = new ArrayList<>(List.of("setsid", "setpriv", "--pdeathsig", "TERM"));
    words.addAll(privileges);
    words.add("--");
    words.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(words);
    builder
        .directory(new File("/"))
        .redirectInput(Redirect.from(new File("/dev/null")))
        .redirectErrorStream(true)
        .redirectOutput(Redirect.appendTo(output.toFile()));
    Environments.prepare(builder.environment(), additions);
    return new Daemon(name, onStarterThread(builder::start, name));
  }

  String name() {
    return name;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** The exit status; only after the daemon has ended. */
  int exitCode() {
    return process.exitValue();
  }

  /** Sends SIGTERM, and SIGKILL if the daemon still runs after 30 s. Returns after it has ended. */
  void stop() {
    stop(PATIENCE);
  }

  /** As {@link #stop()}, with another limit. */
  void stop(Duration limit) {
    process.destroy();
    if (!isGoneWithin(limit)) {
      kill();
    }
  }

  /** Sends only SIGTERM, for daemons that stop side by side; {@link #stop} completes it. */
  void requestStop() {
    process.destroy();
  }

  /** Sends SIGKILL. Returns after the daemon has ended. */
  void kill() {
    process.destroyForcibly();
    isGoneWithin(PATIENCE);
  }

  private boolean isGoneWithin(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      throw Waiting.interrupted(e);
    }
  }

  private static Process onStarterThread(Callable<Process> start, String name) {
    try {
      return STARTER.submit(start).get();
    } catch (InterruptedException e) {
      throw Waiting.interrupted(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException) {
        throw new MiniClusterException("cannot start " + name, e.getCause());
      }
      throw new MiniClusterException("cannot start " + name, e);
    }
  }
}
