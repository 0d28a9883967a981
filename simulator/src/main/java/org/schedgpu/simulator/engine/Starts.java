package org.schedgpu.simulator.engine;

import org.schedgpu.simulator.job.Job;

/** Receives where the cluster's scheduler starts jobs, in the order of the starts. */
@FunctionalInterface
public interface Starts {
  /**
   * A job starts; called for each of its nodes.
   *
   * @param node its index in the settings
   * @param deviceMask the devices of the job on this node
   */
  void started(Job job, int node, int deviceMask);
}
