package org.schedgpu.gpucheck;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How equal the time is that programs of one {@code fair} lane had. A program that does not ask for
 * the turn loses time by its own doing, for example because the machine is busy; that is no fault
 * of the lane, and is not counted.
 *
 * @param lagNs by how much time the last program is behind the first, without its own pauses
 * @param longestNs the longest turn of one iteration
 */
record Fairness(long lagNs, long longestNs) {
  /**
   * Turns by which the order of a lane may leave a program behind: the one that is busy when it
   * asks, the one that the program ahead still had, and one that the records cut.
   */
  private static final int TURNS = 3;

  /**
   * Of programs that joined one after the other.
   *
   * @param records their iterations, at least one each
   * @param untilNs what ended later is left out
   */
  static Fairness of(List<List<Iteration>> records, long untilNs) {
    Map<Iteration, Long> turns = turns(records);
    long[] joinedWith = new long[records.size()];
    long[] had = new long[records.size()];
    long most = 0;
    for (int i = 0; i < had.length; i++) {
      long askedNs = records.get(i).get(0).askedNs();
      for (int k = 0; k < i; k++) { // with the least that a member has had
        long then = joinedWith[k] + sum(records.get(k), turns, askedNs);
        joinedWith[i] = k == 0 ? then : Math.min(joinedWith[i], then);
      }
      had[i] = joinedWith[i] + sum(records.get(i), turns, untilNs);
      most = Math.max(most, had[i]);
    }
    long lag = 0;
    for (int i = 0; i < had.length; i++) {
      lag = Math.max(lag, most - had[i] - pausedNs(records.get(i), untilNs));
    }
    return new Fairness(lag, turns.values().stream().mapToLong(turn -> turn).max().orElse(0));
  }

  /** For how long each iteration had the turn: since it could have it, so waking up is part. */
  private static Map<Iteration, Long> turns(List<List<Iteration>> records) {
    Map<Iteration, Long> turns = new HashMap<>();
    long freeNs = Long.MIN_VALUE;
    for (Iteration one :
        records.stream()
            .flatMap(List::stream)
            .sorted(Comparator.comparingLong(Iteration::begunNs))
            .toList()) {
      turns.put(one, one.endedNs() - Math.max(freeNs, one.askedNs()));
      freeNs = one.endedNs();
    }
    return turns;
  }

  private static long sum(List<Iteration> record, Map<Iteration, Long> turns, long untilNs) {
    return record.stream().filter(one -> one.endedNs() <= untilNs).mapToLong(turns::get).sum();
  }

  /** How long it did not ask, between its iterations. */
  private static long pausedNs(List<Iteration> record, long untilNs) {
    long sum = 0;
    for (int i = 1; i < record.size(); i++) {
      long fromNs = record.get(i - 1).endedNs();
      sum += Math.max(0, Math.min(untilNs, record.get(i).askedNs()) - fromNs);
    }
    return sum;
  }

  /** True if nobody is further behind than the order of a lane explains. */
  boolean holds(long quantumNs) {
    return lagNs <= TURNS * (longestNs + quantumNs);
  }
}
