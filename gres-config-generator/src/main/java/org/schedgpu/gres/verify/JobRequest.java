package org.schedgpu.gres.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How the jobs of verify are submitted.
 *
 * @param waitSeconds limit on the wait for a busy node
 * @param limitSeconds limit on a job once it has its node
 */
public record JobRequest(
    Optional<String> partition, Optional<String> account, int waitSeconds, int limitSeconds) {
  private static final int SECONDS_A_MINUTE = 60;

  /** srun for one virtual GPU of a type, empty for any; the job's command follows it. */
  List<String> srun(String job, String node, String type, List<String> program) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "srun",
                "--job-name=" + job,
                "--nodes=1",
                "--ntasks=1",
                "--nodelist=" + node,
                "--gres=gpu:" + (type.isEmpty() ? "" : type + ":") + "1",
                "--immediate=" + waitSeconds,
                "--time=" + (limitSeconds + SECONDS_A_MINUTE - 1) / SECONDS_A_MINUTE,
                "--chdir=/"));
    partition.ifPresent(name -> command.add("--partition=" + name));
    account.ifPresent(name -> command.add("--account=" + name));
    command.addAll(program);
    return command;
  }
}
