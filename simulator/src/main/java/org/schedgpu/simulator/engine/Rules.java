package org.schedgpu.simulator.engine;

import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.job.Job;

/** Which devices of a node the scheduler of a scenario may give to a job. */
final class Rules {
  /** No device. */
  static final int NOWHERE = 0;

  /** As many as the region of a node can have. */
  private static final int MAX_JOBS = 512;

  private static final int WHOLE_PERCENT = 100;

  private final Scenario scenario;
  private final long contextBytes;

  Rules(Scenario scenario, long contextBytes) {
    this.scenario = scenario;
    this.contextBytes = contextBytes;
  }

  /** True if the job could run on an empty node like this one, in every scenario. */
  static boolean canRun(NodeSpec node, Job job, long contextBytes) {
    return hasType(node, job)
        && job.gpus() <= node.gpus()
        && job.cpus() <= node.cpus()
        && job.hostBytes() <= node.hostBytes()
        && job.deviceBytes() + contextBytes <= node.gpuBytes();
  }

  private static boolean hasType(NodeSpec node, Job job) {
    return job.gpuTypes().isEmpty() || job.gpuTypes().contains(node.gpuType());
  }

  /**
   * The devices that the job would get on this node, as a mask: those with the fewest jobs, the
   * lowest first, as Slurm does with {@code Order=spread}. {@link #NOWHERE} if it does not fit.
   */
  int place(NodeState node, Job job) {
    if (job.cpus() > node.freeCpus
        || job.hostBytes() > node.freeHostBytes
        || node.allJobs >= MAX_JOBS
        || !canRun(node.spec, job, contextBytes)) {
      return NOWHERE;
    }
    int mask = 0;
    for (int count = 0; count < job.gpus(); count++) {
      int best = emptiest(node, job, mask);
      if (best < 0) {
        return NOWHERE;
      }
      mask |= 1 << best;
    }
    return mask;
  }

  private int emptiest(NodeState node, Job job, int taken) {
    int best = -1;
    for (int device = 0; device < node.jobs.length; device++) {
      if ((taken >>> device & 1) == 0
          && hasRoom(node, device, job.deviceBytes())
          && (best < 0 || node.jobs[device] < node.jobs[best])) {
        best = device;
      }
    }
    return best;
  }

  /** True if one more job with this much memory may start on the device. */
  boolean hasRoom(NodeState node, int device, long deviceBytes) {
    return switch (scenario.scheduler()) {
      case EXCLUSIVE -> node.jobs[device] == 0;
      case SHARES -> node.jobs[device] < scenario.perGpu();
      case MEMORY -> deviceBytes <= freeBytes(node, device);
    };
  }

  /** Contexts are not part of overbooking, because a running job never releases them. */
  private long freeBytes(NodeState node, int device) {
    long usable = node.spec.gpuBytes() - (node.jobs[device] + 1) * contextBytes;
    return usable * scenario.overbookPercent() / WHOLE_PERCENT - node.bytes[device];
  }

  /** The largest request that fits on a device of this node; -1 if none fits. */
  long largestRequest(NodeState node) {
    long largest = -1;
    for (int device = 0; device < node.jobs.length; device++) {
      if (hasRoom(node, device, 1)) {
        largest =
            Math.max(
                largest,
                scenario.scheduler() == Scenario.Scheduler.MEMORY
                    ? freeBytes(node, device)
                    : node.spec.gpuBytes());
      }
    }
    return largest;
  }

  /** Devices that have room for some job. */
  int devicesWithRoom(NodeState node) {
    int devices = 0;
    for (int device = 0; device < node.jobs.length; device++) {
      if (hasRoom(node, device, 1)) {
        devices++;
      }
    }
    return devices;
  }
}
