package org.schedgpu.demo;

import java.util.List;

/**
 * What became of a training.
 *
 * @param startedNs when it was started, CLOCK_MONOTONIC
 * @param exitCode of its process
 * @param iterations that it ended, in their order
 * @param errors what it wrote to stderr
 */
record TrainingResult(
    Training training, long startedNs, int exitCode, List<Iteration> iterations, String errors) {
  private static final double NS = 1e9;

  String name() {
    return training.name();
  }

  boolean failed() {
    return exitCode != 0 || iterations.size() != training.iterations();
  }

  /** When its first iteration began; its start, if it has none. */
  long beginNs() {
    return iterations.isEmpty() ? startedNs : iterations.get(0).begunNs();
  }

  /** When its last iteration ended; its start, if it has none. */
  long endNs() {
    return iterations.isEmpty() ? startedNs : iterations.get(iterations.size() - 1).endedNs();
  }

  double waitSeconds() {
    return iterations.stream().mapToDouble(Iteration::waitSeconds).sum();
  }

  /** From its start to the end of its last iteration. */
  double completionSeconds() {
    return (endNs() - startedNs) / NS;
  }

  /** How many iterations it did between two times, parts included. */
  double iterationsBetween(long fromNs, long toNs) {
    return iterations.stream().mapToDouble(iteration -> iteration.part(fromNs, toNs)).sum();
  }

  /** Its iterations per second between two times. */
  double rate(long fromNs, long toNs) {
    return iterationsBetween(fromNs, toNs) / ((toNs - fromNs) / NS);
  }
}
