package org.schedgpu.simulator.engine;

import java.util.List;
import org.schedgpu.simulator.cluster.NodeSpec;

/**
 * The common settings of all scenarios of a sweep.
 *
 * @param nodes of the cluster
 * @param contextBytes device memory of a process's CUDA context
 * @param overtakeLimit of schedgpu.conf
 * @param choice which of the nodes with room a job gets
 * @param byPriority true if the cluster's queue is in the order of the jobs' priorities
 * @param keepsOwnNodes true if nodes are kept for the first job that waits from the end of the jobs
 *     on them on, as from Slurm 25.05 on; false if from the last end that Slurm looked at on
 */
public record Settings(
    List<NodeSpec> nodes,
    long contextBytes,
    int overtakeLimit,
    NodeChoice choice,
    boolean byPriority,
    boolean keepsOwnNodes) {
  /** With the rule of kept nodes that the choice of nodes has had from its first release on. */
  public Settings(
      List<NodeSpec> nodes,
      long contextBytes,
      int overtakeLimit,
      NodeChoice choice,
      boolean byPriority) {
    this(nodes, contextBytes, overtakeLimit, choice, byPriority, choice == NodeChoice.FIRST);
  }
}
