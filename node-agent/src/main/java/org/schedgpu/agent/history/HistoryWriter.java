package org.schedgpu.agent.history;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.agent.history.HistoryBatch.JobKey;
import org.schedgpu.agent.history.HistoryBatch.RegionKey;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.history.HistoryBatch.SeenSample;
import org.schedgpu.agent.history.JobRecord.State;
import org.schedgpu.jna.JobFigure;
import org.schedgpu.jna.LaneUse;

/**
 * Writes the history. Each sample is one transaction: if the agent is killed, the sample is written
 * completely or not at all, and the region still has what was not written. Used by one thread.
 * Throws {@link HistoryException}; the caller must then open a new writer.
 */
final class HistoryWriter implements AutoCloseable {
  private static final List<String> FIGURES =
      Stream.of(JobFigure.values()).map(JobFigure::field).toList();

  private static final String SAVE_JOB =
      "INSERT INTO job (region, begun_monotonic_ns, kind, id, uid, user, sequence, state, name,"
          + " priority, mode, begun_ns, ended_ns, refusals, refused_bytes, "
          + String.join(", ", FIGURES)
          + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
          + ", ?".repeat(FIGURES.size())
          + ") ON CONFLICT (region, begun_monotonic_ns, kind, id) DO UPDATE SET "
          + Stream.concat(
                  Stream.of(
                      "sequence",
                      "state",
                      "name",
                      "priority",
                      "mode",
                      "begun_ns",
                      "ended_ns",
                      "refusals",
                      "refused_bytes"),
                  FIGURES.stream())
              .map(column -> column + " = excluded." + column)
              .collect(Collectors.joining(", "))
          + " RETURNING job";

  private static final String SAVE_USE =
      "INSERT INTO job_device VALUES (?, ?, ?, ?, ?) ON CONFLICT (job, device) DO UPDATE SET"
          + " requested_bytes = excluded.requested_bytes, peak_bytes = excluded.peak_bytes,"
          + " context_bytes = excluded.context_bytes";

  private static final String SAVE_LANE =
      "INSERT INTO job_lane VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job) DO UPDATE SET"
          + " policy = excluded.policy, turns = excluded.turns, switches = excluded.switches,"
          + " service_ns = CASE WHEN service_ns IS NULL THEN NULL ELSE excluded.service_ns END,"
          + " waited_ns = excluded.waited_ns,"
          + " kept_bytes = excluded.kept_bytes, share = max(share, excluded.share)";

  private static final String SAVE_USAGE =
      "INSERT INTO job_usage SELECT job, ?, 1, ?, ? FROM job"
          + " WHERE region = ? AND begun_monotonic_ns = ? AND kind = ? AND id = ?"
          + " ON CONFLICT (job, device) DO UPDATE SET samples = samples + 1,"
          + " held_bytes = held_bytes + excluded.held_bytes,"
          + " in_use_bytes = in_use_bytes + excluded.in_use_bytes";

  private static final String SAVE_UNSCHEDULED =
      "INSERT INTO job_unscheduled SELECT job, ?, ? FROM job JOIN region USING (region)"
          + " WHERE boot_id = ? AND run_dir = ? AND created_ns = ?"
          + " AND begun_monotonic_ns = ? AND kind = ? AND id = ?"
          + " ON CONFLICT (job) DO UPDATE SET processes = max(processes, excluded.processes),"
          + " largest_bytes = nullif(max(coalesce(largest_bytes, -1),"
          + " coalesce(excluded.largest_bytes, -1)), -1)";

  private final Sql sql;

  private HistoryWriter(Sql sql) {
    this.sql = sql;
  }

  /** Opens the file, and makes it if it does not exist. */
  static HistoryWriter open(Path file) {
    HistoryStore.makeFile(file);
    Sql sql = Sql.open(file, false);
    try {
      HistorySchema.prepare(sql);
      return new HistoryWriter(sql);
    } catch (RuntimeException problem) {
      sql.close();
      throw problem;
    }
  }

  /** The connection, for the pruner. */
  Sql sql() {
    return sql;
  }

  /** The sequence up to which all ended jobs of a region are written; 0 = none. */
  long lastSequence(RegionKey region) {
    return sql.number(
        "SELECT last_sequence FROM region WHERE boot_id = ? AND run_dir = ? AND created_ns = ?",
        region.bootId(),
        region.runDir(),
        region.createdNs());
  }

  /** The jobs of a region that the history takes to run, with their rows. */
  Map<JobKey, Long> running(RegionKey region) {
    Map<JobKey, Long> running = new LinkedHashMap<>();
    sql.each(
        row ->
            running.put(
                new JobKey(row.getString(1), row.getLong(2), row.getLong(3)), row.getLong(4)),
        "SELECT kind, id, begun_monotonic_ns, job FROM job JOIN region USING (region)"
            + " WHERE ended_ns IS NULL AND boot_id = ? AND run_dir = ? AND created_ns = ?",
        List.of(region.bootId(), region.runDir(), region.createdNs()));
    return running;
  }

  /** Adds a sample; returns the rows of its jobs. */
  Map<JobKey, Long> write(HistoryBatch look) {
    Map<JobKey, Long> rows = new HashMap<>();
    sql.transaction(() -> writeAll(look, rows));
    return rows;
  }

  private void writeAll(HistoryBatch look, Map<JobKey, Long> rows) {
    long region = region(look);
    for (SeenJob job : look.running()) {
      rows.put(job.key(), save(region, job));
    }
    for (SeenJob job : look.ended()) {
      rows.put(job.key(), save(region, job));
    }
    look.vanished().forEach(key -> lose(region, key));
    look.devices().forEach(this::save);
    look.jobs().forEach(sample -> save(region, look.nowNs(), sample));
  }

  private void save(long region, long nowNs, SeenSample sample) {
    JobKey key = sample.key();
    sql.update(
        "INSERT OR REPLACE INTO job_sample SELECT ?, job, ?, ?, ? FROM job"
            + " WHERE region = ? AND begun_monotonic_ns = ? AND kind = ? AND id = ?",
        nowNs,
        sample.device(),
        sample.heldBytes(),
        sample.inUseBytes(),
        region,
        key.begunNs(),
        key.kind(),
        key.id());
    if (sample.holds()) {
      sql.update(
          SAVE_USAGE,
          sample.device(),
          sample.heldBytes(),
          sample.inUseBytes(),
          region,
          key.begunNs(),
          key.kind(),
          key.id());
    }
  }

  /** Adds what ran unscheduled in jobs of a region; of a job that is not written, nothing. */
  void unscheduled(RegionKey region, Map<JobKey, Unscheduled> jobs) {
    sql.transaction(
        () ->
            jobs.forEach(
                (key, seen) ->
                    sql.update(
                        SAVE_UNSCHEDULED,
                        seen.processes(),
                        orNull(seen.largestBytes()),
                        region.bootId(),
                        region.runDir(),
                        region.createdNs(),
                        key.begunNs(),
                        key.kind(),
                        key.id())));
  }

  /**
   * Slurm's jobs whose account is not known, the newest first, with their rows: those that run, and
   * those that ended at a moment or later.
   */
  Map<Long, Long> withoutAccount(long endedNs, int most) {
    Map<Long, Long> jobs = new LinkedHashMap<>();
    sql.each(
        row -> jobs.put(row.getLong(1), row.getLong(2)),
        "SELECT job, id FROM job WHERE kind = 'slurm' AND (ended_ns IS NULL OR ended_ns >= ?)"
            + " AND job NOT IN (SELECT job FROM job_account) ORDER BY job DESC LIMIT ?",
        List.of(endedNs, most));
    return jobs;
  }

  /** Notes the account of a job; empty: Slurm has none for it. */
  void account(long row, String account) {
    sql.update(
        "INSERT INTO job_account SELECT job, ? FROM job WHERE job = ?"
            + " ON CONFLICT (job) DO UPDATE SET account = excluded.account",
        account,
        row);
  }

  /** The account of a job; empty if there is none, or if it is not known yet. */
  String account(JobKey key) {
    String[] account = {""};
    sql.each(
        row -> account[0] = row.getString(1),
        "SELECT account FROM job_account JOIN job USING (job)"
            + " WHERE kind = ? AND id = ? AND begun_monotonic_ns = ? ORDER BY job DESC LIMIT 1",
        List.of(key.kind(), key.id(), key.begunNs()));
    return account[0];
  }

  /** The row of the region, updated to this sample. Running jobs of earlier regions become lost. */
  private long region(HistoryBatch look) {
    RegionKey key = look.region();
    long[] region = new long[1];
    sql.each(
        row -> region[0] = row.getLong(1),
        "INSERT INTO region (boot_id, run_dir, created_ns, last_sequence, missed, seen_ns)"
            + " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (boot_id, run_dir, created_ns) DO UPDATE SET"
            + " last_sequence = excluded.last_sequence, missed = missed + excluded.missed,"
            + " seen_ns = excluded.seen_ns RETURNING region",
        List.of(
            key.bootId(),
            key.runDir(),
            key.createdNs(),
            look.lastSequence(),
            look.missed(),
            look.nowNs()));
    sql.update(
        "UPDATE job SET state = 'lost', ended_ns ="
            + " max(begun_ns, (SELECT seen_ns FROM region r WHERE r.region = job.region))"
            + " WHERE ended_ns IS NULL AND region IN"
            + " (SELECT region FROM region WHERE run_dir = ? AND region <> ?)",
        key.runDir(),
        region[0]);
    return region[0];
  }

  private long save(long region, SeenJob seen) {
    JobRecord job = seen.job();
    long[] row = new long[1];
    sql.each(answer -> row[0] = answer.getLong(1), SAVE_JOB, values(region, seen));
    job.devices()
        .forEach(
            (device, use) ->
                sql.update(
                    SAVE_USE,
                    row[0],
                    device,
                    use.requestedBytes(),
                    use.peakBytes(),
                    orNull(use.contextPeakBytes())));
    job.lane().ifPresent(use -> save(row[0], use));
    return row[0];
  }

  /** For SAVE_JOB. */
  private static List<Object> values(long region, SeenJob seen) {
    JobRecord job = seen.job();
    List<Object> values =
        new ArrayList<>(
            List.of(
                region,
                seen.key().begunNs(),
                job.kind(),
                job.id(),
                Integer.toUnsignedLong(job.uid()),
                job.user(),
                orNull(seen.sequence()),
                job.state().text(),
                job.name(),
                job.priority(),
                job.mode(),
                job.begunNs(),
                orNull(job.endedNs()),
                job.refusals().count(),
                job.refusals().largestBytes()));
    values.addAll(job.figures().values().values());
    return values;
  }

  private void save(long row, LaneUse use) {
    sql.update(
        SAVE_LANE,
        row,
        use.policy().text(),
        use.turns(),
        use.switches(),
        orNull(use.serviceNs()),
        use.waitedNs(),
        use.keptBytes(),
        use.share());
  }

  private void lose(long region, JobKey key) {
    sql.update(
        "UPDATE job SET state = ?, ended_ns ="
            + " max(begun_ns, (SELECT seen_ns FROM region r WHERE r.region = job.region))"
            + " WHERE region = ? AND begun_monotonic_ns = ? AND kind = ? AND id = ?"
            + " AND ended_ns IS NULL",
        State.LOST.text(),
        region,
        key.begunNs(),
        key.kind(),
        key.id());
  }

  private void save(DeviceSample sample) {
    sql.update(
        "INSERT OR REPLACE INTO device_sample VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        sample.timeNs(),
        device(sample),
        sample.reservedBytes(),
        sample.inUseBytes(),
        orNull(sample.nvmlUsedBytes()),
        orNull(sample.utilisationPercent()),
        sample.jobs(),
        sample.waiting(),
        orNull(sample.lanes()),
        orNull(sample.waitingTurns()));
  }

  private long device(DeviceSample sample) {
    long[] device = new long[1];
    sql.each(
        row -> device[0] = row.getLong(1),
        "INSERT INTO device (number, uuid, name, total_bytes) VALUES (?, ?, ?, ?)"
            + " ON CONFLICT DO UPDATE SET number = number RETURNING device",
        List.of(sample.device(), sample.uuid(), sample.name(), sample.totalBytes()));
    return device[0];
  }

  private static Object orNull(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : Sql.NULL;
  }

  private static Object orNull(OptionalInt value) {
    return value.isPresent() ? value.getAsInt() : Sql.NULL;
  }

  @Override
  public void close() {
    sql.close();
  }
}
