package org.schedgpu.agent.slurm;

import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/** The account of a job, from squeue: what the job itself says of it cannot be trusted. */
public final class SlurmAccounts implements LongFunction<Optional<String>> {
  private static final String NONE = "(null)";

  private final String command;

  /**
   * @param command squeue
   */
  public SlurmAccounts(String command) {
    this.command = command;
  }

  /** An empty text if the job has none, or is forgotten; empty if Slurm did not answer. */
  @Override
  public Optional<String> apply(long jobId) {
    SlurmCommand.Result result =
        SlurmCommand.run(
            List.of(command, "--noheader", "--states=all", "--format=%a", "--jobs=" + jobId));
    if (!result.ok()) {
      return result.isUnknownJob() ? Optional.of("") : Optional.empty();
    }
    String account = result.text().lines().findFirst().orElse("").strip();
    return Optional.of(account.equals(NONE) ? "" : account);
  }
}
