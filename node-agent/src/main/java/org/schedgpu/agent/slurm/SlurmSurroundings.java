package org.schedgpu.agent.slurm;

import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.process.HostProcess;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.JobFinder;
import org.schedgpu.jna.Posix;

/** The Slurm job that this process runs in: a job inside of it would be a second budget. */
public final class SlurmSurroundings {
  private SlurmSurroundings() {}

  /**
   * Refuses to begin a job inside of one.
   *
   * @throws AgentException that says which job it is, and what to do
   */
  public static void refuse(String command) {
    int self = Math.toIntExact(ProcessHandle.current().pid());
    refuse(command, Posix.effectiveUid(), new HostProcesses().find(self));
  }

  static void refuse(String command, int uid, Optional<HostProcess> self) {
    OptionalLong job =
        self.map(process -> JobFinder.slurmJob(process.cgroups())).orElse(OptionalLong.empty());
    if (uid != 0 && job.isPresent()) {
      throw new AgentException(
          command
              + " is not run: this is inside Slurm job "
              + job.getAsLong()
              + ", which has a budget of its own: leave schedgpu run out, the job's --schedgpu-mem"
              + " counts");
    }
  }
}
