package org.schedgpu.papers.phases;

import java.util.ArrayList;
import java.util.List;

/** How far a job has come. */
final class JobState {
  final PhasedJob job;
  final List<PhasedOutcome.Span> waits = new ArrayList<>();
  final List<PhasedOutcome.Span> holds = new ArrayList<>();
  int step;
  long startNs = -1;
  long endNs = -1;
  boolean outOfMemory;
  long allocatedBytes;
  boolean hasContext;
  private long waitsSinceNs = -1;
  private long holdsSinceNs = -1;
  private long kernelSinceNs;
  private long kernelNs;
  private long slowedNs;

  JobState(PhasedJob job) {
    this.job = job;
  }

  void waits(long nowNs) {
    waitsSinceNs = nowNs;
  }

  /** Its request was granted; whether it had waited or not. */
  void has(long nowNs) {
    if (waitsSinceNs >= 0) {
      waits.add(new PhasedOutcome.Span(waitsSinceNs, nowNs));
      waitsSinceNs = -1;
    }
  }

  void allocated(long bytes, long nowNs) {
    if (allocatedBytes == 0) {
      holdsSinceNs = nowNs;
    }
    allocatedBytes += bytes;
  }

  void freed(long bytes, long nowNs) {
    allocatedBytes -= bytes;
    if (allocatedBytes == 0 && bytes > 0) {
      holds.add(new PhasedOutcome.Span(holdsSinceNs, nowNs));
    }
  }

  void kernelBegins(long ns, long nowNs) {
    kernelSinceNs = nowNs;
    kernelNs = ns;
  }

  void kernelEnds(long nowNs) {
    slowedNs += nowNs - kernelSinceNs - kernelNs;
  }

  PhasedOutcome.JobOutcome outcome() {
    return new PhasedOutcome.JobOutcome(
        job, startNs, endNs, outOfMemory, List.copyOf(waits), List.copyOf(holds), slowedNs);
  }
}
