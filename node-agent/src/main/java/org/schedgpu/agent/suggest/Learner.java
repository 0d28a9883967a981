package org.schedgpu.agent.suggest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Learns from jobs that ended, newest first: of each user and name the last {@value #RUNS} runs.
 * Bounded: of more names than {@value #NAMES} those that ran last.
 */
public final class Learner {
  static final int RUNS = 20;
  static final int NAMES = 4096;

  private final Map<Key, List<PastRun>> runs = new LinkedHashMap<>();

  private record Key(int uid, String name) {}

  /**
   * Looks at one more run, older than those before it. One without a name, or that used nothing,
   * and was refused nothing, says nothing: it may have failed early, or run behind a gate.
   */
  public void add(PastRun run) {
    Key key = new Key(run.uid(), run.name());
    boolean full = runs.size() >= NAMES && !runs.containsKey(key);
    if (run.name().isEmpty() || run.neededBytes() <= 0 || full) {
      return;
    }
    List<PastRun> known = runs.computeIfAbsent(key, unused -> new ArrayList<>(1));
    if (known.size() < RUNS) {
      known.add(run);
    }
  }

  /** The names that ran last come first. */
  public List<Suggestion> newestFirst() {
    return runs.values().stream().map(Suggestion::of).toList();
  }

  /** By user, then name. */
  public List<Suggestion> byUserAndName() {
    return newestFirst().stream()
        .sorted(Comparator.comparing(Suggestion::user).thenComparing(Suggestion::name))
        .toList();
  }
}
