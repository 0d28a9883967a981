package org.schedgpu.simulator.engine;

import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.job.Job;

/** What the cluster's scheduler has allocated of a node. */
final class NodeState {
  final NodeSpec spec;
  private final Scenario scenario;
  final int[] jobs;
  final long[] bytes;
  int allJobs;
  int freeCpus;
  long freeHostBytes;

  NodeState(NodeSpec spec, Scenario scenario) {
    this.spec = spec;
    this.scenario = scenario;
    this.jobs = new int[spec.gpus()];
    this.bytes = new long[spec.gpus()];
    this.freeCpus = spec.cpus();
    this.freeHostBytes = spec.hostBytes();
  }

  NodeState copy() {
    NodeState copy = new NodeState(spec, scenario);
    System.arraycopy(jobs, 0, copy.jobs, 0, jobs.length);
    System.arraycopy(bytes, 0, copy.bytes, 0, bytes.length);
    copy.allJobs = allJobs;
    copy.freeCpus = freeCpus;
    copy.freeHostBytes = freeHostBytes;
    return copy;
  }

  /** Allocates the devices of a mask to a job, or releases them. */
  void add(Job job, int deviceMask, int sign) {
    allJobs += sign;
    freeCpus -= sign * job.cpus();
    freeHostBytes -= sign * job.hostBytes();
    for (int device = 0; device < jobs.length; device++) {
      if ((deviceMask >>> device & 1) != 0) {
        jobs[device] += sign;
        bytes[device] += sign * scenario.allocatedBytes(job);
      }
    }
  }
}
