package org.schedgpu.papers.remote;

import java.util.Arrays;
import java.util.List;

/** Small queues: nodes of 8 CPUs, 3 GPUs and 22 GB; seconds and GB. */
final class Queues {
  static final long S = 1_000_000_000L;
  static final double GB = 1e9;
  static final NodeModel NODE = NodeModel.tsubame();

  private Queues() {}

  /** A job that exchanges nothing, with a CPU and a GB for each GPU. */
  static QueueJob job(long id, long arriveS, long runS, int nodes, int gpus) {
    return job(id, arriveS, runS, nodes, gpus, gpus, gpus);
  }

  static QueueJob job(
      long id, long arriveS, long runS, int nodes, int gpus, int cpus, int memoryGb) {
    return new QueueJob(
        id, arriveS * S, runS * S, nodes, cpus, gpus, (long) (memoryGb * GB), 0, 0, 0);
  }

  /** The job, with what it exchanges. */
  static QueueJob exchanging(QueueJob job, double netGb, double gpuGb, long transfers) {
    return new QueueJob(
        job.id(),
        job.arriveNs(),
        job.runNs(),
        job.nodes(),
        job.cpus(),
        job.gpus(),
        job.memoryBytes(),
        netGb * GB,
        gpuGb * GB,
        transfers);
  }

  static QueueOutcome play(QueueRule rule, int nodes, QueueJob... jobs) {
    return QueueSimulation.play(List.of(jobs), nodes, NODE, rule);
  }

  static List<Long> seconds(long... timesNs) {
    return Arrays.stream(timesNs).mapToObj(ns -> ns / S).toList();
  }
}
