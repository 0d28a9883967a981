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

  /** True if the job could run on an empty node like this one. */
  boolean canRun(NodeSpec node, Job job) {
    return hasType(node, job)
        && job.gpus() <= node.gpus()
        && job.cpus() <= node.cpus()
        && job.hostBytes() <= node.hostBytes()
        && job.deviceBytes() <= Math.min(usableBytes(node), allocatableBytes(node));
  }

  private static boolean hasType(NodeSpec node, Job job) {
    return job.gpuTypes().isEmpty() || job.gpuTypes().contains(node.gpuType());
  }

  /**
   * The devices that the job would get on this node, as a mask. {@link #NOWHERE} if it does not
   * fit. Slurm fills one device with shards, then the next one. Of virtual GPUs it takes those of
   * the devices with the fewest jobs, the lowest first, as with {@code Order=spread}.
   */
  int place(NodeState node, Job job) {
    if (job.cpus() > node.freeCpus
        || job.hostBytes() > node.freeHostBytes
        || node.allJobs >= MAX_JOBS
        || !canRun(node.spec, job)) {
      return NOWHERE;
    }
    boolean fills = scenario.scheduler() == Scenario.Scheduler.MEMORY;
    int mask = 0;
    for (int count = 0; count < job.gpus(); count++) {
      int best = fills ? first(node, job, mask) : emptiest(node, job, mask);
      if (best < 0) {
        return NOWHERE;
      }
      mask |= 1 << best;
    }
    return mask;
  }

  private int first(NodeState node, Job job, int taken) {
    for (int device = 0; device < node.jobs.length; device++) {
      if ((taken >>> device & 1) == 0 && hasRoom(node, device, job.deviceBytes())) {
        return device;
      }
    }
    return -1;
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

  /** The shards that no job has; a context is not part of a shard. */
  private long freeBytes(NodeState node, int device) {
    return allocatableBytes(node.spec) - node.bytes[device];
  }

  /** The most that one job can use of a device. */
  private long usableBytes(NodeSpec node) {
    return node.gpuBytes() - contextBytes;
  }

  /** What the cluster's scheduler allocates of a device. */
  private long allocatableBytes(NodeSpec node) {
    if (scenario.scheduler() != Scenario.Scheduler.MEMORY) {
      return usableBytes(node);
    }
    long shards =
        usableBytes(node) * scenario.overbookPercent() / WHOLE_PERCENT / scenario.unitBytes();
    return shards * scenario.unitBytes();
  }

  /** The largest request that fits on a device of this node; -1 if none fits. */
  long largestRequest(NodeState node) {
    long usableBytes = usableBytes(node.spec);
    long largest = -1;
    for (int device = 0; device < node.jobs.length; device++) {
      if (hasRoom(node, device, 1)) {
        long bytes =
            scenario.scheduler() == Scenario.Scheduler.MEMORY
                ? freeBytes(node, device)
                : usableBytes;
        largest = Math.max(largest, Math.min(bytes, usableBytes));
      }
    }
    return largest;
  }

  /**
   * True if enough devices with room, and one with room for the request, mean that the job fits.
   */
  boolean isDecidedByOneDevice(Job job) {
    return job.gpus() == 1 || scenario.scheduler() != Scenario.Scheduler.MEMORY;
  }

  /** Devices that have room for some job. */
  int devicesWithRoom(NodeState node) {
    if (node.allJobs >= MAX_JOBS) {
      return 0;
    }
    int devices = 0;
    for (int device = 0; device < node.jobs.length; device++) {
      if (hasRoom(node, device, 1)) {
        devices++;
      }
    }
    return devices;
  }
}
