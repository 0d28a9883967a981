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
 */
public record Settings(
    List<NodeSpec> nodes,
    long contextBytes,
    int overtakeLimit,
    NodeChoice choice,
    boolean byPriority) {}
