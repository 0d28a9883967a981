package org.schedgpu.agent.slurm;

import java.util.List;
import java.util.Set;

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
    return answer(
        SlurmCommand.run(
            List.of(command, "--noheader", "--states=all", "--format=%T", "--jobs=" + jobId)));
  }

  /**
   * For an id that slurmctld no longer knows (MinJobAge), squeue fails with an error of its own.
   */
  private static Answer answer(SlurmCommand.Result result) {
    String said = result.text();
    if (!result.ok()) {
      return result.isUnknownJob() ? Answer.OVER : Answer.UNKNOWN;
    }
    if (said.isEmpty()) {
      return Answer.UNKNOWN;
    }
    return said.lines().map(String::strip).allMatch(OVER::contains) ? Answer.OVER : Answer.NOT_OVER;
  }
}
