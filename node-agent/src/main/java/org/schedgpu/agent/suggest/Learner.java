package org.schedgpu.agent.suggest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Learns from ended jobs, of each user newest first: the last {@value #RUNS} runs of each user and
 * name. It keeps the first {@value #NAMES} names. So that one user does not take all of them, runs
 * of different users come in turns.
 */
public final class Learner {
  static final int RUNS = 20;
  static final int NAMES = 4096;

  private final Map<Key, List<PastRun>> runs = new LinkedHashMap<>();

  private record Key(int uid, String name) {}

  /**
   * Adds one more run, older than the earlier ones of its user. A run without a name, or one that
   * used nothing and was refused nothing, is ignored: it may have failed early, or run in mode
   * gate.
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

  /** In the order in which the names were added. */
  public List<Suggestion> inOrder() {
    return runs.values().stream().map(Suggestion::of).toList();
  }

  /** By user, then name. */
  public List<Suggestion> byUserAndName() {
    return inOrder().stream()
        .sorted(Comparator.comparing(Suggestion::user).thenComparing(Suggestion::name))
        .toList();
  }
}
