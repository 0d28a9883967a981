package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What slurmctld says of a job. Asked rarely: only for jobs with nothing alive on this node, and
 * never by a hook.
 */
public final class SlurmQueue {
  /**
   * A job in one of these states never runs again under its number, unless somebody requeues it.
   */
  private static final Set<String> OVER =
      Set.of(
          "BOOT_FAIL",
          "CANCELLED",
          "COMPLETED",
          "DEADLINE",
          "FAILED",
          "NODE_FAIL",
          "OUT_OF_MEMORY",
          "PREEMPTED",
          "REVOKED",
          "TIMEOUT");

  private static final long PATIENCE_S = 10;

  /** What is known of a job. */
  enum Answer {
    /** It has ended, or is forgotten. */
    OVER,
    /** It runs, or may run. */
    NOT_OVER,
    /** Slurm did not answer. */
    UNKNOWN
  }

  private final String command;

  /**
   * @param command squeue
   */
  public SlurmQueue(String command) {
    this.command = command;
  }

  /** squeue's answer for a job. */
  Answer ask(long jobId) {
    try {
      Process squeue =
          new ProcessBuilder(
                  List.of(command, "--noheader", "--states=all", "--format=%T", "--jobs=" + jobId))
              .redirectErrorStream(true)
              .start();
      squeue.getOutputStream().close();
      if (!squeue.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        squeue.destroyForcibly();
        return Answer.UNKNOWN;
      }
      String said = new String(squeue.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return answer(squeue.exitValue(), said.strip());
    } catch (IOException notThere) {
      return Answer.UNKNOWN;
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return Answer.UNKNOWN;
    }
  }

  /**
   * For an id that slurmctld no longer knows (MinJobAge), squeue fails with an error of its own.
   */
  static Answer answer(int exitValue, String said) {
    if (exitValue != 0) {
      return said.contains("Invalid job id specified") ? Answer.OVER : Answer.UNKNOWN;
    }
    if (said.isEmpty()) {
      return Answer.UNKNOWN;
    }
    return said.lines().map(String::strip).allMatch(OVER::contains) ? Answer.OVER : Answer.NOT_OVER;
  }
}
