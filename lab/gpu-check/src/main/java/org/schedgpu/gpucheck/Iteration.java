package org.schedgpu.gpucheck;

import java.util.Comparator;
import java.util.List;

/**
 * An iteration of a {@link LaneProgram}, in ns of CLOCK_MONOTONIC, which is {@link
 * System#nanoTime}.
 *
 * @param askedNs when it asked for the turn
 * @param begunNs when it had it
 * @param endedNs before it gave the turn away
 */
record Iteration(long askedNs, long begunNs, long endedNs) {
  private static final double MS = 1e6;
  private static final double S = 1e9;

  static Iteration parse(String line) {
    String[] words = line.split(" ", -1);
    if (!line.matches("\\d{1,18} \\d{1,18} \\d{1,18}")) {
      throw new CheckException("the program wrote '" + line + "', which is no iteration");
    }
    return new Iteration(
        Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  /** From the ask to the end. */
  double latencyMs() {
    return (endedNs - askedNs) / MS;
  }

  /** The iterations per second between two times, parts included. */
  static double rate(List<Iteration> iterations, long fromNs, long toNs) {
    double count = iterations.stream().mapToDouble(one -> one.part(fromNs, toNs)).sum();
    return count / ((toNs - fromNs) / S);
  }

  private double part(long fromNs, long toNs) {
    double inside = Math.min(endedNs, toNs) - (double) Math.max(begunNs, fromNs);
    return Math.max(0, inside) / Math.max(1, endedNs - begunNs);
  }

  /** How many began before another one had ended: 0 in one lane, or the lane was broken. */
  static long together(List<Iteration> all) {
    long count = 0;
    long endNs = Long.MIN_VALUE;
    for (Iteration one :
        all.stream().sorted(Comparator.comparingLong(Iteration::begunNs)).toList()) {
      count += one.begunNs < endNs ? 1 : 0;
      endNs = Math.max(endNs, one.endedNs);
    }
    return count;
  }
}
