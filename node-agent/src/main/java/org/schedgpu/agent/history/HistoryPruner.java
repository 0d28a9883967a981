package org.schedgpu.agent.history;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the history young and small: the oldest goes, jobs and samples alike, a small part of it at
 * a time.
 */
final class HistoryPruner {
  /** Of the time that the history spans, by which one step shortens it. */
  private static final long PARTS = 20;

  private static final int VACUUM_PAGES = 4096;
  private static final long REGION_EXTRA_NS = TimeUnit.DAYS.toNanos(1);

  private HistoryPruner() {}

  /**
   * One step, if one is needed.
   *
   * @param keepNs what is older goes; empty: nothing is too old
   * @param maxBytes of the file
   * @return whether something went
   */
  static boolean step(Sql sql, long nowNs, OptionalLong keepNs, long maxBytes) {
    long oldestNs = HistoryStore.oldest(sql);
    if (oldestNs == Long.MAX_VALUE) {
      return false;
    }
    long partNs = Math.max(1, (nowNs - oldestNs) / PARTS);
    long agedNs = keepNs.isPresent() ? nowNs - keepNs.getAsLong() : Long.MIN_VALUE;
    boolean large = usedBytes(sql) > maxBytes;
    if (oldestNs >= agedNs && !large) {
      return false;
    }
    long cutNs = large ? oldestNs + partNs : Math.min(agedNs, oldestNs + partNs);
    sql.transaction(() -> forget(sql, cutNs));
    sql.pragma("PRAGMA incremental_vacuum(" + VACUUM_PAGES + ")");
    return true;
  }

  private static void forget(Sql sql, long beforeNs) {
    sql.update("DELETE FROM job WHERE ended_ns <= ?", beforeNs);
    sql.update("DELETE FROM device_sample WHERE time_ns <= ?", beforeNs);
    sql.update("DELETE FROM job_sample WHERE time_ns <= ?", beforeNs);
    sql.update(
        "DELETE FROM region WHERE seen_ns < ? AND region NOT IN (SELECT region FROM job)",
        beforeNs - REGION_EXTRA_NS);
  }

  /** What the file has in use: the rest of it is on its way back to the disk. */
  static long usedBytes(Sql sql) {
    return (sql.number("PRAGMA page_count") - sql.number("PRAGMA freelist_count"))
        * sql.number("PRAGMA page_size");
  }
}
