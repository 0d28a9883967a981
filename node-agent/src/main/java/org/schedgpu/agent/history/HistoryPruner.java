package org.schedgpu.agent.history;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Limits the age and size of the history, in small steps. Jobs and samples that are too old are
 * deleted. If the file is too large, the oldest samples are deleted, and the oldest jobs of the
 * users with the most jobs, so that no user can displace the jobs of others.
 */
final class HistoryPruner {
  /** One step deletes this part of the time that the history covers. */
  private static final long PARTS = 20;

  private static final int VACUUM_PAGES = 4096;
  private static final long REGION_EXTRA_NS = TimeUnit.DAYS.toNanos(1);

  private HistoryPruner() {}

  /**
   * One step, if one is needed.
   *
   * @param keepNs older records are deleted; empty: none is too old
   * @param maxBytes of the file
   * @return true if something was deleted
   */
  static boolean step(Sql sql, long nowNs, OptionalLong keepNs, long maxBytes) {
    long oldestNs = HistoryStore.oldest(sql);
    if (oldestNs == Long.MAX_VALUE) {
      return false;
    }
    long agedNs = keepNs.isPresent() ? nowNs - keepNs.getAsLong() : Long.MIN_VALUE;
    boolean large = usedBytes(sql) > maxBytes;
    if (oldestNs >= agedNs && !large) {
      return false;
    }
    sql.transaction(
        () -> {
          if (oldestNs < agedNs) {
            forget(sql, Math.min(agedNs, after(oldestNs, nowNs)));
          }
          if (large) {
            forgetOfMany(sql);
            forgetSamples(sql, nowNs);
          }
        });
    sql.pragma("PRAGMA incremental_vacuum(" + VACUUM_PAGES + ")");
    return true;
  }

  /** The end of the first part of that time. */
  private static long after(long oldestNs, long nowNs) {
    return oldestNs + Math.max(1, (nowNs - oldestNs) / PARTS);
  }

  private static void forget(Sql sql, long beforeNs) {
    sql.update("DELETE FROM job WHERE ended_ns <= ?", beforeNs);
    sql.update("DELETE FROM device_sample WHERE time_ns <= ?", beforeNs);
    sql.update("DELETE FROM job_sample WHERE time_ns <= ?", beforeNs);
    sql.update(
        "DELETE FROM region WHERE seen_ns < ? AND region NOT IN (SELECT region FROM job)",
        beforeNs - REGION_EXTRA_NS);
  }

  private static void forgetOfMany(Sql sql) {
    Map<Long, Long> jobs = new HashMap<>();
    sql.each(
        row -> jobs.put(row.getLong(1), row.getLong(2)),
        "SELECT uid, count(*) FROM job WHERE ended_ns IS NOT NULL GROUP BY uid",
        List.of());
    long level = level(jobs.values());
    jobs.forEach(
        (uid, count) ->
            sql.update(
                "DELETE FROM job WHERE job IN (SELECT job FROM job WHERE uid = ?"
                    + " AND ended_ns IS NOT NULL ORDER BY job LIMIT ?)",
                uid,
                Math.max(0, count - level)));
  }

  /** How many jobs a user keeps at most, if a part of all jobs is to be deleted. */
  static long level(Collection<Long> counts) {
    long all = counts.stream().mapToLong(Long::longValue).sum();
    long goes = (all + PARTS - 1) / PARTS;
    long low = 0;
    long high = all;
    while (low < high) {
      long level = (low + high + 1) / 2;
      if (counts.stream().mapToLong(count -> Math.max(0, count - level)).sum() >= goes) {
        low = level;
      } else {
        high = level - 1;
      }
    }
    return low;
  }

  private static void forgetSamples(Sql sql, long nowNs) {
    for (String table : List.of("device_sample", "job_sample")) {
      long oldestNs = sql.number("SELECT coalesce(min(time_ns), ?) FROM " + table, nowNs);
      sql.update("DELETE FROM " + table + " WHERE time_ns <= ?", after(oldestNs, nowNs));
    }
  }

  /** The used part of the file: the rest will be returned to the disk. */
  static long usedBytes(Sql sql) {
    return (sql.number("PRAGMA page_count") - sql.number("PRAGMA freelist_count"))
        * sql.number("PRAGMA page_size");
  }
}
