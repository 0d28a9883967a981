package org.schedgpu.gres.live;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Jobs that srun runs for us and that do not outlive us: when this is closed, the JVM ends or the
 * limit is over, srun is told to end, and its job is cancelled by name. Thread-safe.
 */
public final class SrunJobs implements AutoCloseable {
  private static final Duration CANCEL = Duration.ofSeconds(15);
  private static final int END_SECONDS = 5;

  private final SlurmTool tool;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Map<String, Process> running = new ConcurrentHashMap<>();
  private final Thread atExit = new Thread(this::cancelAll, "schedgpu-cancel-jobs");
  private volatile boolean closed;

  /**
   * @param environment PATH and SLURM_CONF are taken from it
   */
  public SrunJobs(Map<String, String> environment) {
    tool = new SlurmTool(environment, CANCEL);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * How srun ended.
   *
   * @param said its errors, on one line
   * @param inTime whether it ended by itself
   */
  public record Ended(int exitCode, String out, String said, boolean inTime) {}

  /**
   * Runs srun to its end.
   *
   * @param name the job's, as in the command; no other job may have it
   * @param limit for all of it, the waiting included
   * @throws LiveException if srun cannot be run
   */
  public Ended run(String name, List<String> command, Duration limit) {
    if (closed) {
      throw new LiveException("job " + name + " was not begun", "repeat: it was interrupted");
    }
    names.add(name);
    Process process = start(command);
    running.put(name, process);
    CompletableFuture<String> out = SlurmTool.text(process.getInputStream());
    CompletableFuture<String> err = SlurmTool.text(process.getErrorStream());
    boolean inTime = false;
    try {
      inTime = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (!inTime) {
        cancel(name, process);
      }
      int exitCode = process.isAlive() ? -1 : process.exitValue();
      return new Ended(
          exitCode, out.join(), new SlurmTool.Result(exitCode, "", err.join()).said(), inTime);
    } catch (InterruptedException e) {
      cancel(name, process);
      Thread.currentThread().interrupt();
      throw new LiveException("job " + name + " was interrupted", "repeat", e);
    } finally {
      running.remove(name);
      if (inTime) {
        names.remove(name);
      }
    }
  }

  private Process start(List<String> command) {
    try {
      return tool.prepare(command).start();
    } catch (IOException e) {
      throw new LiveException(
          "srun cannot be run (" + e.getMessage() + ")", "mend that and repeat", e);
    }
  }

  /** srun hands the signal on and gives its job back; scancel is for a job that it knows not. */
  private void cancel(String name, Process process) {
    process.destroy();
    scancel(name);
    try {
      process.waitFor(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }

  private void scancel(String name) {
    try {
      tool.run("scancel", "--name=" + name, "--user=" + System.getProperty("user.name"));
    } catch (LiveException e) {
      // srun was told already, and the job has a time limit.
    }
  }

  private void cancelAll() {
    closed = true;
    running.values().forEach(Process::destroy);
    List.copyOf(names).forEach(this::scancel);
  }

  @Override
  public void close() {
    closed = true;
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The JVM is ending: the hook does it.
      return;
    }
    running.forEach(this::cancel);
  }
}
