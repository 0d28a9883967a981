package org.schedgpu.demo;

/**
 * A training of demo-lanes: a program of equal iterations.
 *
 * @param name unique in its scenario
 * @param arrivalMs when it starts, after the start of the scenario
 * @param kernelUs how long an iteration computes
 * @param iterations how many
 */
record Training(String name, long arrivalMs, long kernelUs, int iterations) {
  /** What it keeps between iterations. */
  static final long MODEL_MIB = 192;

  /** What it needs in an iteration beside the model. */
  static final long EPHEMERAL_MIB = 2368;

  /** Both: its budget. */
  static final long BUDGET_MIB = MODEL_MIB + EPHEMERAL_MIB;

  /** How long its kernels run: its length if it is alone, at least 1. */
  long lengthMs() {
    return Math.max(1, iterations * kernelUs / 1000);
  }
}
