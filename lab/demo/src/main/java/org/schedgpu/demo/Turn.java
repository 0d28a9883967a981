package org.schedgpu.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Iterations of one training between which no other had one, in ns of CLOCK_MONOTONIC.
 *
 * @param name of the training
 */
record Turn(String name, long fromNs, long toNs, int iterations) {
  private record Step(String name, Iteration iteration) {}

  /** The turns of all trainings, in their order. */
  static List<Turn> of(List<TrainingResult> results) {
    List<Turn> turns = new ArrayList<>();
    for (Step step : steps(results)) {
      Iteration iteration = step.iteration();
      Turn last = turns.isEmpty() ? null : turns.get(turns.size() - 1);
      if (last != null && last.name().equals(step.name())) {
        turns.set(turns.size() - 1, last.longer(iteration.endedNs()));
      } else {
        turns.add(new Turn(step.name(), iteration.begunNs(), iteration.endedNs(), 1));
      }
    }
    return turns;
  }

  private Turn longer(long endNs) {
    return new Turn(name, fromNs, endNs, iterations + 1);
  }

  /** How many iterations began before another one had ended: 0, or a lane was broken. */
  static long together(List<TrainingResult> results) {
    long count = 0;
    long endNs = Long.MIN_VALUE;
    for (Step step : steps(results)) {
      if (step.iteration().begunNs() < endNs) {
        count++;
      }
      endNs = Math.max(endNs, step.iteration().endedNs());
    }
    return count;
  }

  private static List<Step> steps(List<TrainingResult> results) {
    return results.stream()
        .flatMap(result -> result.iterations().stream().map(i -> new Step(result.name(), i)))
        .sorted(Comparator.comparingLong(step -> step.iteration().begunNs()))
        .toList();
  }

  /** The median time from the end of a turn to the begin of the next; 0 without a second turn. */
  static double medianPauseMs(List<Turn> turns) {
    List<Long> pauses = new ArrayList<>();
    for (int i = 1; i < turns.size(); i++) {
      pauses.add(turns.get(i).fromNs() - turns.get(i - 1).toNs());
    }
    pauses.sort(Comparator.naturalOrder());
    return pauses.isEmpty() ? 0 : pauses.get(pauses.size() / 2) / 1e6;
  }
}
