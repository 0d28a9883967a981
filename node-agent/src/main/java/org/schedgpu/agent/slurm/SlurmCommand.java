package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a command of Slurm, which may wait for slurmctld, for a limited time. Never used by a hook.
 */
public final class SlurmCommand {
  private static final long PATIENCE_S = 10;

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
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return new Result(false, command.get(0) + " has not answered for " + PATIENCE_S + " s");
      }
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(process.exitValue() == 0, said.strip());
    } catch (IOException notThere) {
      return new Result(false, notThere.getMessage());
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return new Result(false, "stopped");
    }
  }
}
