package org.schedgpu.simulator.engine;

import java.util.List;
import org.schedgpu.simulator.cluster.NodeSpec;

/** How long each device has a job. */
final class Occupied {
  private final int[][] jobs;
  private final long[][] sinceNs;
  private double sumNs;

  Occupied(List<NodeSpec> nodes) {
    jobs = nodes.stream().map(node -> new int[node.gpus()]).toArray(int[][]::new);
    sinceNs = nodes.stream().map(node -> new long[node.gpus()]).toArray(long[][]::new);
  }

  void change(Run run, int sign, long nowNs) {
    for (Part part : run.parts) {
      for (int device = 0; device < jobs[part.node].length; device++) {
        if ((part.deviceMask >>> device & 1) != 0) {
          change(part.node, device, sign, nowNs);
        }
      }
    }
  }

  private void change(int node, int device, int sign, long nowNs) {
    if (jobs[node][device] == 0) {
      sinceNs[node][device] = nowNs;
    }
    jobs[node][device] += sign;
    if (jobs[node][device] == 0) {
      sumNs += nowNs - sinceNs[node][device];
    }
  }

  double sumNs() {
    return sumNs;
  }
}
