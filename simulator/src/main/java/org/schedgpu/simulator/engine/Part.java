package org.schedgpu.simulator.engine;

import org.schedgpu.jna.NodeCores;

/** The part of a job on one node. */
final class Part {
  final int node;
  final int deviceMask;
  final NodeCores.Wait wait = new NodeCores.Wait();
  Run run;
  int slot = -1;

  Part(int node, int deviceMask) {
    this.node = node;
    this.deviceMask = deviceMask;
  }
}
