package org.schedgpu.agent.slurm;

import java.util.List;
import java.util.Optional;
import org.schedgpu.agent.problem.AgentException;

/**
 * Changes jobs in Slurm, by squeue and scontrol, as the user of the agent: root, whom Slurm lets
 * change every job. Throws {@link AgentException} with Slurm's message.
 */
public class SlurmControl {
  private final String squeue;
  private final String scontrol;

  /** The commands of that name in PATH, or files. */
  public SlurmControl(String squeue, String scontrol) {
    this.squeue = squeue;
    this.scontrol = scontrol;
  }

  /** A job; empty if Slurm has none of this number, or has forgotten it. */
  public Optional<SlurmJob> job(long id) {
    SlurmCommand.Result said =
        SlurmCommand.run(
            List.of(
                squeue,
                "--noheader",
                "--states=all",
                "--format=" + SlurmJob.FORMAT,
                "--jobs=" + id));
    if (said.isUnknownJob()) {
      return Optional.empty();
    }
    return Optional.ofNullable(SlurmJob.of(id, checked(squeue, said).lines().toList()));
  }

  /** Sets the time limit. */
  public void limit(SlurmJob job, long minutes) {
    update(job, "TimeLimit=" + minutes);
  }

  /** Says why, for people who look at the job. An administrator's own text stays. */
  public void mark(SlurmJob job, String prefix, String text) {
    String now = adminComment(job);
    if (now.isBlank() || now.equals("(null)") || now.startsWith(prefix)) {
      update(job, "AdminComment=" + prefix + text);
    }
  }

  /** Releases of Slurm name the field in one of two ways; for another name squeue ends well. */
  private String adminComment(SlurmJob job) {
    String now = "";
    for (String field : List.of("admin_comment", "AdminComment")) {
      List<String> command =
          List.of(
              squeue,
              "--noheader",
              "--Format=" + field + ":1024",
              "--states=all",
              "--jobs=" + job.name());
      now = checked(squeue, SlurmCommand.run(command));
      if (!now.contains("Invalid job format specification")) {
        return now;
      }
    }
    return now;
  }

  /** Puts a batch job back into the queue. */
  public void requeue(SlurmJob job) {
    checked(scontrol, SlurmCommand.run(List.of(scontrol, "requeue", job.name())));
  }

  /** Ends a job. */
  public void cancel(SlurmJob job) {
    String scancel = scontrol.replaceFirst("scontrol$", "scancel");
    checked(scancel, SlurmCommand.run(List.of(scancel, job.name())));
  }

  /** Keeps a job that waits in the queue from a node, or no longer. */
  public void exclude(SlurmJob job, String node, boolean excluded) {
    List<String> others = hosts(job.excluded()).stream().filter(n -> !n.equals(node)).toList();
    String list = String.join(",", others);
    String comma = list.isEmpty() ? "" : ",";
    update(job, "ExcNodeList=" + (excluded ? list + comma + node : list));
  }

  /** The names in a host list. */
  public List<String> hosts(String list) {
    if (list.isEmpty() || list.equals("(null)")) {
      return List.of();
    }
    return checked(scontrol, SlurmCommand.run(List.of(scontrol, "show", "hostnames", list)))
        .lines()
        .map(String::strip)
        .toList();
  }

  private void update(SlurmJob job, String change) {
    checked(scontrol, SlurmCommand.run(List.of(scontrol, "update", "JobId=" + job.name(), change)));
  }

  private static String checked(String command, SlurmCommand.Result result) {
    if (!result.ok()) {
      throw new AgentException(
          command + ": " + result.text().lines().findFirst().orElse("failed without a message"));
    }
    return result.text();
  }
}
