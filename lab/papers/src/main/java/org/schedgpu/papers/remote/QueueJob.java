package org.schedgpu.papers.remote;

/**
 * A job of Table 1. What it needs is for each of its nodes.
 *
 * @param id of the job
 * @param arriveNs when it comes to the queue; nanoseconds
 * @param runNs how long it runs with GPUs of its own nodes only; at least 1
 * @param nodes how many it needs; at least 1
 * @param cpus on each node
 * @param gpus on each node; at least 1
 * @param memoryBytes host memory on each node
 * @param netBytes that each node exchanges with others, if there are several
 * @param gpuBytes that GPUs of one node exchange
 * @param gpuTransfers in how many transfers
 */
public record QueueJob(
    long id,
    long arriveNs,
    long runNs,
    int nodes,
    int cpus,
    int gpus,
    long memoryBytes,
    double netBytes,
    double gpuBytes,
    long gpuTransfers) {
  /** Jobs of one shape fit in the same places. */
  record Shape(int nodes, int cpus, int gpus, long memoryBytes) {}

  Shape shape() {
    return new Shape(nodes, cpus, gpus, memoryBytes);
  }
}
