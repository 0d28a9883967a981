package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.schedgpu.gres.common.Subprocess;

/**
 * Runs a command of Slurm, which may wait for slurmctld, for a limited time. Never used by a hook.
 */
public final class SlurmCommand {
  private static final long PATIENCE_S = 10;

  /** Of all jobs of a node that is a lot. */
  private static final int MAX_BYTES = 8 << 20;

  /**
   * How it ended.
   *
   * @param ok exit status 0
   * @param text what it printed, on both streams
   */
  public record Result(boolean ok, String text) {
    /** True if slurmctld does not know the job, or has forgotten it (MinJobAge). */
    public boolean isUnknownJob() {
      return !ok && text.contains("Invalid job id specified");
    }
  }

  private SlurmCommand() {}

  /** Runs it to its end, or ends it after some seconds. */
  public static Result run(List<String> command) {
    return run(command, PATIENCE_S);
  }

  /**
   * The same with a time limit. The limit on the output counts, too: users choose what squeue
   * prints of their jobs.
   */
  static Result run(List<String> command, long patienceS) {
    String name = command.get(0);
    try {
      Subprocess.Result ended =
          Subprocess.of(command).merged().maxBytes(MAX_BYTES).run(Duration.ofSeconds(patienceS));
      return switch (ended.end()) {
        case ENDED -> new Result(ended.isOk(), ended.out().strip());
        case LATE -> new Result(false, name + " has not answered for " + patienceS + " s");
        case INTERRUPTED -> new Result(false, "stopped");
        case TALKATIVE -> new Result(false, name + " " + ended.problem().orElseThrow());
      };
    } catch (IOException problem) {
      return new Result(false, problem.getMessage());
    }
  }
}
