package org.schedgpu.model;

import java.util.List;
import java.util.Optional;

/**
 * Memory in use that nobody reserved: the overruns of jobs, and the memory of programs of no job.
 */
public final class UnreservedMemory {
  private final Node node;

  UnreservedMemory(Node node) {
    this.node = node;
  }

  /** Sets what the job's processes use beyond all that the job holds. */
  public Answer setOverrun(long jobId, int device, long bytes, long nowNs) {
    Optional<Job> job = node.jobs.stream().filter(j -> j.id() == jobId).findFirst();
    if (job.isEmpty() || device >= node.devices.size()) {
      return job.isEmpty() ? Answer.ENOJOB : Answer.EDEVICE;
    }
    long beyond = measured(device, bytes);
    job.get().overrun.put(device, beyond);
    if (beyond > 0) {
      job.get().statistics.used(node.devices.get(device), counted(job.get(), device) + beyond);
    }
    new QueueService(node, nowNs).serve();
    return Answer.OK;
  }

  /** Sets what programs of no job use. */
  public Answer setForeign(int device, long bytes, long nowNs) {
    if (device >= node.devices.size()) {
      return Answer.EDEVICE;
    }
    node.foreign[device] = measured(device, bytes);
    new QueueService(node, nowNs).serve();
    return Answer.OK;
  }

  /** All that the job has beside its contexts, according to the core. */
  private long counted(Job job, int device) {
    Sums sums = Sums.of(node);
    return sums.heldBudget(job, device) + sums.memory(job, device);
  }

  /** No more than the whole device can be in use. */
  private long measured(int device, long bytes) {
    return Math.min(Units.roundUp(bytes), node.devices.get(device).totalBytes());
  }

  /** All of it. */
  public long bytes(int device) {
    return Sums.of(node).unreserved(device);
  }

  /** Memory in use by programs of no job. */
  public long foreign(int device) {
    return node.foreign[device];
  }

  /** Ids of the jobs that have an overrun on a device. */
  public List<Long> jobsOn(int device) {
    return node.jobs.stream()
        .filter(job -> job.overrun.getOrDefault(device, 0L) > 0)
        .map(Job::id)
        .toList();
  }
}
