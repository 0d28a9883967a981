package org.schedgpu.agent.history;

import java.util.List;

/** The tables of the history, and the conversion of a file of an older version. */
final class HistorySchema {
  /** The step from version i to version i + 1 is entry i. Never changed once released. */
  private static final List<List<String>> STEPS =
      List.of(first(), refusals(), lanes(), usage(), shares(), turns(), contexts(), unscheduled());

  /** The version of the files that this program writes. */
  static final int VERSION = STEPS.size();

  /** "sGPU": the application id in the file's header. */
  private static final int APPLICATION_ID = 0x73475055;

  private HistorySchema() {}

  /** All of them. */
  static List<List<String>> steps() {
    return STEPS;
  }

  static List<String> first() {
    return List.of(
        "CREATE TABLE region (region INTEGER PRIMARY KEY, boot_id TEXT NOT NULL,"
            + " run_dir TEXT NOT NULL, created_ns INTEGER NOT NULL,"
            + " last_sequence INTEGER NOT NULL, missed INTEGER NOT NULL, seen_ns INTEGER NOT NULL,"
            + " UNIQUE (boot_id, run_dir, created_ns)) STRICT",
        "CREATE TABLE job (job INTEGER PRIMARY KEY AUTOINCREMENT,"
            + " region INTEGER NOT NULL REFERENCES region,"
            + " begun_monotonic_ns INTEGER NOT NULL, kind TEXT NOT NULL, id INTEGER NOT NULL,"
            + " sequence INTEGER, state TEXT NOT NULL, name TEXT NOT NULL, uid INTEGER NOT NULL,"
            + " user TEXT NOT NULL, priority INTEGER NOT NULL, mode TEXT NOT NULL,"
            + " begun_ns INTEGER NOT NULL, ended_ns INTEGER, waited_ns INTEGER NOT NULL,"
            + " waits INTEGER NOT NULL, held_ns INTEGER NOT NULL,"
            + " UNIQUE (region, begun_monotonic_ns, kind, id)) STRICT",
        "CREATE INDEX job_ended ON job (ended_ns)",
        "CREATE INDEX job_uid ON job (uid)",
        "CREATE INDEX job_id ON job (id)",
        "CREATE TABLE job_device (job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,"
            + " device INTEGER NOT NULL, requested_bytes INTEGER NOT NULL,"
            + " peak_bytes INTEGER NOT NULL, PRIMARY KEY (job, device)) STRICT, WITHOUT ROWID",
        "CREATE TABLE device (device INTEGER PRIMARY KEY, number INTEGER NOT NULL,"
            + " uuid TEXT NOT NULL, name TEXT NOT NULL, total_bytes INTEGER NOT NULL,"
            + " UNIQUE (number, uuid, name, total_bytes)) STRICT",
        "CREATE TABLE device_sample (time_ns INTEGER NOT NULL,"
            + " device INTEGER NOT NULL REFERENCES device, reserved_bytes INTEGER NOT NULL,"
            + " in_use_bytes INTEGER NOT NULL, nvml_used_bytes INTEGER,"
            + " utilisation_percent INTEGER, jobs INTEGER NOT NULL, waiting INTEGER NOT NULL,"
            + " PRIMARY KEY (time_ns, device)) STRICT, WITHOUT ROWID",
        // without a reference to job: a job is deleted before its samples, and samples without a
        // job are never shown
        "CREATE TABLE job_sample (time_ns INTEGER NOT NULL, job INTEGER NOT NULL,"
            + " device INTEGER NOT NULL, held_bytes INTEGER NOT NULL,"
            + " in_use_bytes INTEGER NOT NULL, PRIMARY KEY (time_ns, job, device))"
            + " STRICT, WITHOUT ROWID");
  }

  private static List<String> refusals() {
    return List.of(
        "ALTER TABLE job ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE job ADD COLUMN refused_bytes INTEGER NOT NULL DEFAULT 0");
  }

  /** A row for each job that was a lane job. */
  private static List<String> lanes() {
    return List.of(
        "CREATE TABLE job_lane (job INTEGER PRIMARY KEY REFERENCES job ON DELETE CASCADE,"
            + " policy TEXT NOT NULL, turns INTEGER NOT NULL, switches INTEGER NOT NULL,"
            + " service_ns INTEGER NOT NULL, waited_ns INTEGER NOT NULL,"
            + " kept_bytes INTEGER NOT NULL) STRICT");
  }

  /** Sums of the samples of a job outlive the samples, which are deleted first. */
  private static List<String> usage() {
    return List.of(
        "CREATE TABLE job_account (job INTEGER PRIMARY KEY REFERENCES job ON DELETE CASCADE,"
            + " account TEXT NOT NULL) STRICT",
        "CREATE TABLE job_usage (job INTEGER NOT NULL REFERENCES job ON DELETE CASCADE,"
            + " device INTEGER NOT NULL, samples INTEGER NOT NULL, held_bytes INTEGER NOT NULL,"
            + " in_use_bytes INTEGER NOT NULL, PRIMARY KEY (job, device)) STRICT, WITHOUT ROWID",
        "INSERT INTO job_usage SELECT job, device, count(*), sum(held_bytes), sum(in_use_bytes)"
            + " FROM job_sample WHERE job IN (SELECT job FROM job) GROUP BY job, device");
  }

  /** The weight of a lane job; 0: not known. */
  private static List<String> shares() {
    return List.of("ALTER TABLE job_lane ADD COLUMN share INTEGER NOT NULL DEFAULT 0");
  }

  /**
   * Lanes and waits for their turns, in samples; NULL in older ones. And service that is not known:
   * that of a job with a share had what it caught up with after a pause, and that of a lost job
   * lacked its last turn.
   */
  private static List<String> turns() {
    return List.of(
        "ALTER TABLE device_sample ADD COLUMN lanes INTEGER",
        "ALTER TABLE device_sample ADD COLUMN waiting_turns INTEGER",
        "ALTER TABLE job_lane RENAME TO job_lane_before",
        "CREATE TABLE job_lane (job INTEGER PRIMARY KEY REFERENCES job ON DELETE CASCADE,"
            + " policy TEXT NOT NULL, turns INTEGER NOT NULL, switches INTEGER NOT NULL,"
            + " service_ns INTEGER, waited_ns INTEGER NOT NULL, kept_bytes INTEGER NOT NULL,"
            + " share INTEGER NOT NULL DEFAULT 0) STRICT",
        "INSERT INTO job_lane SELECT job, policy, turns, switches,"
            + " CASE WHEN policy = 'share' OR state = 'lost' THEN NULL ELSE service_ns END,"
            + " l.waited_ns, kept_bytes, share FROM job_lane_before l JOIN job USING (job)",
        "DROP TABLE job_lane_before");
  }

  /** The most of a job's contexts; NULL in older rows, whose peak has an unknown number of them. */
  private static List<String> contexts() {
    return List.of("ALTER TABLE job_device ADD COLUMN context_bytes INTEGER");
  }

  /** A row for each job of which programs ran unscheduled; largest_bytes NULL: not known. */
  private static List<String> unscheduled() {
    return List.of(
        "CREATE TABLE job_unscheduled (job INTEGER PRIMARY KEY REFERENCES job ON DELETE CASCADE,"
            + " processes INTEGER NOT NULL, largest_bytes INTEGER) STRICT");
  }

  /** Makes the tables, or converts those of an older version; refuses a file of another program. */
  static void prepare(Sql sql) {
    prepare(sql, STEPS);
  }

  /**
   * @param steps one more than the version of the file: all of them apply, or none
   */
  static void prepare(Sql sql, List<List<String>> steps) {
    int version = version(sql, steps.size());
    if (version == steps.size()) {
      return;
    }
    if (version == 0) {
      sql.pragma("PRAGMA auto_vacuum = INCREMENTAL"); // only possible before the first table exists
    }
    sql.pragma("PRAGMA journal_mode = WAL");
    sql.transaction(
        () -> {
          // checked again, because another agent may have been faster
          for (int step = version(sql, steps.size()); step < steps.size(); step++) {
            steps.get(step).forEach(sql::update);
          }
          sql.pragma("PRAGMA application_id = " + APPLICATION_ID);
          sql.pragma("PRAGMA user_version = " + steps.size());
        });
  }

  /** The version of the file; 0 = it is new. */
  static int version(Sql sql) {
    return version(sql, VERSION);
  }

  private static int version(Sql sql, int known) {
    int version = (int) sql.number("PRAGMA user_version");
    boolean ours = sql.number("PRAGMA application_id") == APPLICATION_ID;
    if (!ours && (version != 0 || sql.number("SELECT count(*) FROM sqlite_schema") > 0)) {
      throw new HistoryException(
          "history: " + sql.file() + ": is not of schedGPU: set HistoryFile to another file");
    }
    if (version > known) {
      throw new HistoryException(
          "history: %s: was written by a newer schedgpu (version %d, known is %d): update, or set HistoryFile to another file"
              .formatted(sql.file(), version, known));
    }
    return version;
  }
}
