package org.schedgpu.simulator.engine;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.job.Job;

/**
 * How fast jobs compute. Devices divide their time evenly (processor sharing): if the jobs that
 * compute on a device need more than all of its time in sum, each runs at 1 / sum of its speed. A
 * job on several devices is as fast as on the slowest.
 */
final class Computing {
  private final List<List<List<Run>>> running = new ArrayList<>();
  private final int[][] busyPermille;
  private final EndHeap ends;

  Computing(List<NodeSpec> nodes, EndHeap ends) {
    this.ends = ends;
    this.busyPermille = new int[nodes.size()][];
    for (int node = 0; node < nodes.size(); node++) {
      busyPermille[node] = new int[nodes.get(node).gpus()];
      List<List<Run>> devices = new ArrayList<>();
      for (int device = 0; device < nodes.get(node).gpus(); device++) {
        devices.add(new ArrayList<>(1));
      }
      running.add(devices);
    }
  }

  /** All parts of the job have their memory: it computes from now on. */
  void begin(Run run, long nowNs) {
    run.updatedNs = nowNs;
    change(run, run.job.busyPermille(), nowNs);
    setRate(run, nowNs);
  }

  /** The job has done all its computing. */
  void end(Run run, long nowNs) {
    run.leftNs = 0;
    change(run, -run.job.busyPermille(), nowNs);
  }

  private void change(Run run, int permille, long nowNs) {
    for (Part part : run.parts) {
      for (int device = 0; device < busyPermille[part.node].length; device++) {
        if ((part.deviceMask >>> device & 1) != 0) {
          change(run, part.node, device, permille, nowNs);
        }
      }
    }
  }

  private void change(Run run, int node, int device, int permille, long nowNs) {
    List<Run> others = running.get(node).get(device);
    if (permille < 0) {
      others.remove(run);
    }
    int before = busyPermille[node][device];
    busyPermille[node][device] = before + permille;
    if (Math.max(before, before + permille) > Job.FULLY_BUSY) {
      for (Run other : others) {
        setRate(other, nowNs);
      }
    }
    if (permille > 0) {
      others.add(run);
    }
  }

  private void setRate(Run run, long nowNs) {
    int busiest = Job.FULLY_BUSY;
    for (Part part : run.parts) {
      for (int device = 0; device < busyPermille[part.node].length; device++) {
        if ((part.deviceMask >>> device & 1) != 0) {
          busiest = Math.max(busiest, busyPermille[part.node][device]);
        }
      }
    }
    double rate = (double) Job.FULLY_BUSY / busiest;
    if (rate == run.rate) {
      return;
    }
    run.leftNs -= (nowNs - run.updatedNs) * run.rate;
    run.updatedNs = nowNs;
    run.rate = rate;
    run.endNs = nowNs + (long) Math.ceil(Math.max(0, run.leftNs) / rate);
    ends.put(run);
  }
}
