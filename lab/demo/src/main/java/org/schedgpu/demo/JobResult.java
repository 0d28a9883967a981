package org.schedgpu.demo;

import java.util.List;

/**
 * What became of a job. Times are seconds of the paper's test-bed since the first submission.
 *
 * @param name as in Slurm
 * @param program what it ran
 * @param outcome how it ended
 * @param run from its start, after Slurm's queue, to its end
 * @param asking times in which it wanted the device and had no memory yet
 * @param holding times in which it held memory
 * @param slowedSeconds how much longer its kernels took than alone
 * @param waits how often schedGPU made it wait
 * @param lastError last line of its standard error, empty if none
 */
record JobResult(
    String name,
    String program,
    Outcome outcome,
    Span run,
    List<Span> asking,
    List<Span> holding,
    double slowedSeconds,
    int waits,
    String lastError) {

  enum Outcome {
    COMPLETED,
    OUT_OF_MEMORY,
    FAILED
  }

  /** How long it waited for memory, in seconds. */
  double waitSeconds() {
    return asking.stream().mapToDouble(Span::seconds).sum();
  }
}
