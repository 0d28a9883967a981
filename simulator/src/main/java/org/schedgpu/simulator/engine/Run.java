package org.schedgpu.simulator.engine;

import java.util.List;
import org.schedgpu.simulator.job.Job;

/** A job that the cluster's scheduler has started. */
final class Run {
  final int index;
  final Job job;
  final List<Part> parts;
  final long startedNs;
  int partsThatWait;
  double leftNs;
  double rate;
  long updatedNs;
  long endNs = Long.MAX_VALUE;
  int heapPlace = -1;

  Run(int index, Job job, List<Part> parts, long startedNs) {
    this.index = index;
    this.job = job;
    this.parts = parts;
    this.startedNs = startedNs;
    this.leftNs = job.runNs();
  }

  /** When the scheduler expects it to end: at its time limit. */
  long expectedEndNs() {
    return startedNs + job.limitNs();
  }
}
