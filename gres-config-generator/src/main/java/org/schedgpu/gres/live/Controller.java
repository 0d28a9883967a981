package org.schedgpu.gres.live;

import java.util.List;
import java.util.Optional;

/**
 * Asks slurmctld for its state, and drains and resumes nodes. Thread-safe. Every call ends within
 * {@link #LIMIT_SECONDS} (three times that if it has to ask again), or throws {@link LiveException}
 * with Slurm's message. Data that the user may not see, such as jobs of others with
 * PrivateData=jobs, is missing from the answers.
 */
public interface Controller {
  /** The time limit for one request to Slurm, in seconds. */
  int LIMIT_SECONDS = 30;

  /**
   * The program that is asked, for messages: {@code scontrol}, {@code slurmrestd at unix:/run/...
   * v0.0.40}.
   */
  String description();

  /** All nodes, including those of hidden partitions. */
  List<LiveNode> nodes();

  /** All jobs that have not ended: pending, running, suspended, completing. */
  List<LiveJob> jobs();

  /** The version of slurmctld, {@code 22.05.8}; empty if it does not report one. */
  default Optional<String> slurmVersion() {
    return Optional.empty();
  }

  /** True if nodes can be drained and resumed; slurmrestd v0.0.38 cannot. */
  boolean canChangeNodes();

  /**
   * Drains a node, so that it starts no more jobs.
   *
   * @param node one name, no hostlist
   * @param reason not empty, one line
   * @throws LiveException if Slurm refuses
   */
  void drain(String node, String reason);

  /**
   * Resumes a node, so that it starts jobs again.
   *
   * @param node one name, no hostlist
   * @throws LiveException if Slurm refuses
   */
  void resume(String node);
}
