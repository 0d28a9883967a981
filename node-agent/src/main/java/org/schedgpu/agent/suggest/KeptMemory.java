package org.schedgpu.agent.suggest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.history.JobQuery;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.jna.LearnedTable;

/**
 * Learns what the lane jobs of a user and name keep between their turns: the largest of the last
 * {@value #RUNS} runs in which it was measured. A program that changed is forgotten that soon.
 */
public final class KeptMemory {
  static final int RUNS = 3;

  /** The limit on how far back it reads. */
  private static final int MAX_JOBS = 20_000;

  private record Key(int uid, String name) {}

  private final Map<Key, List<Long>> kept = new LinkedHashMap<>();

  /**
   * From the ended jobs of a history.
   *
   * @param uid of this user only
   */
  public static KeptMemory of(HistoryStore history, OptionalInt uid) {
    JobQuery query = JobQuery.all().inLanes().ended().inTurnsOfUsers().limit(MAX_JOBS);
    KeptMemory memory = new KeptMemory();
    history.eachJob(uid.isPresent() ? query.ofUser(uid.getAsInt()) : query, memory::add);
    return memory;
  }

  /** Adds one more run, older than the earlier ones of its user. */
  void add(JobRecord job) {
    long bytes = job.lane().map(use -> use.keptBytes()).orElse(0L);
    if (bytes <= 0 || job.name().isEmpty()) {
      return;
    }
    List<Long> runs =
        kept.computeIfAbsent(new Key(job.uid(), job.name()), key -> new ArrayList<>(RUNS));
    if (runs.size() < RUNS) {
      runs.add(bytes);
    }
  }

  /** In bytes; 0: nothing is known. */
  public long bytes(int uid, String name) {
    return kept.getOrDefault(new Key(uid, name), List.of()).stream()
        .mapToLong(Long::longValue)
        .max()
        .orElse(0);
  }

  /** For the table, in turns of users: if it is too long, each keeps the names that ran last. */
  public List<LearnedTable.Line> lines() {
    return kept.keySet().stream()
        .map(key -> new LearnedTable.Line(key.uid(), bytes(key.uid(), key.name()), key.name()))
        .toList();
  }
}
