package org.schedgpu.papers.remote;

import java.util.Set;
import java.util.TreeSet;

/** What of a node is given out. */
final class Server {
  final int index;
  final int gpus;
  int freeCpus;
  int freeGpus;
  long freeMemoryBytes;

  /** Parts of jobs whose CPU code runs here. */
  int jobs;

  /**
   * Transfers between this node and GPUs elsewhere, or others and its GPUs, that share its link.
   */
  int streams;

  /** Running jobs that compute here or use a GPU of this node from elsewhere. */
  final Set<QueueRun> touching = new TreeSet<>(QueueRun.BY_INDEX);

  Server(int index, NodeModel model) {
    this.index = index;
    this.gpus = model.gpus();
    this.freeCpus = model.cpus();
    this.freeGpus = model.gpus();
    this.freeMemoryBytes = model.memoryBytes();
  }

  boolean hasJob() {
    return jobs > 0;
  }

  /** Whether its own CPUs and memory are enough; GPUs apart. */
  boolean hasRoomBesideGpus(QueueJob job) {
    return freeCpus >= job.cpus() && freeMemoryBytes >= job.memoryBytes();
  }
}
