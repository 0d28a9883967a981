package org.schedgpu.model;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** Counts which cases of lanes the histories of a run reached. */
final class LaneCoverage {
  private final Map<Answer, Long> ended = new EnumMap<>(Answer.class);
  private final Map<Answer, Long> settled = new EnumMap<>(Answer.class);
  private final Map<Answer, Long> mapped = new EnumMap<>(Answer.class);
  private static final long LONG_RUN = 200_000;

  /**
   * A run of 300,000 transitions has each of the rare cases about ten times, and one run in 1,400
   * lacks one. Worked examples have them in each run: {@link TurnTest}, {@link LeavingTest}.
   */
  private static final long VERY_LONG_RUN = 2_000_000;

  private long transitions;
  private long shared;
  private long severalLanes;
  private long returned;
  private long overtaken;
  private long moved;

  /** The lane of each member after the last transition. */
  private final Map<Job, Lane> lanes = new HashMap<>();

  void ended(Answer answer) {
    ended.merge(answer, 1L, Long::sum);
  }

  void settled(Answer answer) {
    settled.merge(answer, 1L, Long::sum);
  }

  void mapped(long bytes, Answer answer) {
    if (bytes > 0) {
      mapped.merge(answer, 1L, Long::sum);
    }
  }

  void saw(LaneView view) {
    transitions++;
    shared += view.lanes().stream().anyMatch(lane -> view.members(lane).size() > 1) ? 1 : 0;
    severalLanes += view.lanes().size() > 1 ? 1 : 0;
    returned += view.members().stream().anyMatch(job -> job.moreKeptBytes > 0) ? 1 : 0;
    moved += countMoves(view) > 0 ? 1 : 0;
    overtaken += view.waits().stream().anyMatch(wait -> wait.overtaken > 0) ? 1 : 0;
  }

  /** Members that were in another lane before. */
  private long countMoves(LaneView view) {
    Map<Job, Lane> before = new HashMap<>(lanes);
    lanes.clear();
    view.members().forEach(job -> lanes.put(job, job.lane.orElseThrow()));
    return lanes.entrySet().stream()
        .filter(e -> before.containsKey(e.getKey()) && before.get(e.getKey()) != e.getValue())
        .count();
  }

  /** A long run reaches every case, a very long one the rare ones, too; a shorter run need not. */
  void check() {
    if (transitions < LONG_RUN) {
      return;
    }
    boolean answers =
        ended.containsKey(Answer.OK)
            && settled.containsKey(Answer.OK)
            && settled.containsKey(Answer.EWOULDBLOCK)
            && mapped.containsKey(Answer.OK)
            && mapped.containsKey(Answer.ETURN)
            && mapped.containsKey(Answer.EBUDGET);
    boolean rare = ended.containsKey(Answer.EKEPT) && moved > 0;
    if (!answers
        || shared == 0
        || severalLanes == 0
        || returned == 0
        || overtaken == 0
        || (transitions >= VERY_LONG_RUN && !rare)) {
      throw new AssertionError("a case of lanes was never reached: " + this);
    }
  }

  @Override
  public String toString() {
    return String.format(
        "iterations ended %s, waits for turns ended %s, lanes mapped %s; several members after %d"
            + " transitions, several lanes after %d, persistent memory grown after %d, somebody"
            + " overtaken after %d, moved by %d",
        ended, settled, mapped, shared, severalLanes, returned, overtaken, moved);
  }
}
