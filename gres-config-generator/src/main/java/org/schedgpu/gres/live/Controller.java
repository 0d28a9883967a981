package org.schedgpu.gres.live;

import java.util.List;
import java.util.Optional;

/**
 * What slurmctld believes, and how it is told. Thread-safe. Every call ends within {@link
 * #LIMIT_SECONDS} (three times that where it is asked again) or throws {@link LiveException} with
 * what Slurm said. What a user may not see, such as others' jobs under PrivateData=jobs, is not in
 * the answers.
 */
public interface Controller {
  /** How long one question to Slurm may take. */
  int LIMIT_SECONDS = 30;

  /** Who is asked, for messages: {@code scontrol}, {@code slurmrestd at unix:/run/... v0.0.40}. */
  String description();

  /** All nodes, those of hidden partitions too. */
  List<LiveNode> nodes();

  /** All jobs that are not over: pending, running, suspended, completing. */
  List<LiveJob> jobs();

  /** The release that slurmctld says it is, {@code 22.05.8}; empty if it does not tell. */
  default Optional<String> slurmVersion() {
    return Optional.empty();
  }

  /** Whether nodes can be drained and resumed; not through slurmrestd v0.0.38. */
  boolean canChangeNodes();

  /**
   * Lets a node start no more jobs.
   *
   * @param node one name, no hostlist
   * @param reason not empty, one line
   * @throws LiveException if Slurm refuses
   */
  void drain(String node, String reason);

  /**
   * Lets a node start jobs again.
   *
   * @param node one name, no hostlist
   * @throws LiveException if Slurm refuses
   */
  void resume(String node);
}
