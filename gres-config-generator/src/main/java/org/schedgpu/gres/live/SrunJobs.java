package org.schedgpu.gres.live;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.schedgpu.gres.common.Subprocess;

/**
 * Runs jobs with srun that never outlive this process: on close, at the end of the JVM or at the
 * time limit, srun gets a signal and the job is cancelled by name. Thread-safe.
 */
public final class SrunJobs implements AutoCloseable {
  private static final Duration CANCEL = Duration.ofSeconds(15);
  private static final Duration END = Duration.ofSeconds(5);

  private final SlurmTool tool;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Map<String, Subprocess.Running> running = new ConcurrentHashMap<>();
  private final Thread atExit = new Thread(this::cancelAll, "schedgpu-cancel-jobs");
  private volatile boolean closed;

  /**
   * @param environment provides PATH and SLURM_CONF
   */
  public SrunJobs(Map<String, String> environment) {
    tool = new SlurmTool(environment, CANCEL);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * How srun ended.
   *
   * @param said errors that it printed, on one line
   * @param inTime true if it ended before the limit
   */
  public record Ended(int exitCode, String out, String said, boolean inTime) {}

  /**
   * Runs srun to its end.
   *
   * @param name name of the job, as in the command; no other job may have the same name
   * @param limit time limit for everything, including the wait in the queue
   * @throws LiveException if srun cannot be run
   */
  public Ended run(String name, List<String> command, Duration limit) {
    if (closed) {
      throw new LiveException("job " + name + " was not begun", "repeat: it was interrupted");
    }
    names.add(name);
    Subprocess.Running process = start(command);
    running.put(name, process);
    boolean inTime = false;
    try {
      inTime = process.endsWithin(limit);
      if (!inTime) {
        cancel(name, process);
      }
      Subprocess.Result result = process.end(END);
      if (result.end() == Subprocess.End.INTERRUPTED) {
        throw new LiveException("job " + name + " was interrupted", "repeat");
      }
      String said = new SlurmTool.Result(result.exitCode(), "", result.err()).said();
      return new Ended(result.exitCode(), result.out(), said, inTime);
    } catch (IOException e) {
      throw new LiveException("srun: " + e.getMessage(), "repeat", e);
    } finally {
      running.remove(name);
      if (inTime) {
        names.remove(name);
      }
    }
  }

  private Subprocess.Running start(List<String> command) {
    try {
      return tool.prepare(command).start();
    } catch (IOException e) {
      throw new LiveException(
          "srun cannot be run (" + e.getMessage() + ")", "correct that and repeat", e);
    }
  }

  /**
   * Ends srun, which forwards the signal and releases its job; scancel is for a job that srun does
   * not know yet.
   */
  private void cancel(String name, Subprocess.Running process) {
    boolean interrupted = Thread.interrupted(); // scancel must run all the same
    process.terminate();
    scancel(name);
    process.endsWithin(END);
    process.kill();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void scancel(String name) {
    try {
      tool.run("scancel", "--name=" + name, "--user=" + System.getProperty("user.name"));
    } catch (LiveException e) {
      // srun got the signal already, and the job has a time limit.
    }
  }

  private void cancelAll() {
    closed = true;
    running.values().forEach(Subprocess.Running::terminate);
    List.copyOf(names).forEach(this::scancel);
  }

  @Override
  public void close() {
    closed = true;
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The JVM is ending: the hook cancels the jobs.
      return;
    }
    running.forEach(this::cancel);
  }
}
