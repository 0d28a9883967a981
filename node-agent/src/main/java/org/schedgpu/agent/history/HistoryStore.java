package org.schedgpu.agent.history;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobRecord.State;
import org.schedgpu.jna.JobFigure;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.Refusals;

/**
 * Reads the history of a node. Each answer shows one moment; the agent may write meanwhile. Used by
 * one thread. Throws {@link HistoryException}.
 */
public final class HistoryStore implements AutoCloseable {
  /** Means over steps, each reported at its first moment. */
  private static final String DEVICE_SAMPLES =
      "SELECT min(time_ns) AS time_ns, number, uuid, name, total_bytes,"
          + " CAST(avg(reserved_bytes) AS INTEGER) AS reserved_bytes,"
          + " CAST(avg(in_use_bytes) AS INTEGER) AS in_use_bytes,"
          + " CAST(avg(nvml_used_bytes) AS INTEGER) AS nvml_used_bytes,"
          + " CAST(round(avg(utilisation_percent)) AS INTEGER) AS utilisation_percent,"
          + " CAST(round(avg(jobs)) AS INTEGER) AS jobs,"
          + " CAST(round(avg(waiting)) AS INTEGER) AS waiting,"
          + " CAST(round(avg(lanes)) AS INTEGER) AS lanes,"
          + " CAST(round(avg(waiting_turns)) AS INTEGER) AS waiting_turns"
          + " FROM device_sample JOIN device USING (device)"
          + " WHERE time_ns >= ? AND time_ns < ? GROUP BY time_ns / ?, device ORDER BY 1, number";

  private static final String JOB_SAMPLES =
      "SELECT time_ns, job, device, held_bytes, in_use_bytes FROM job_sample"
          + " WHERE time_ns >= ? AND time_ns < ? AND job = ? ORDER BY time_ns, device";

  /** Of a job: a lane has a column of one of these names, too. */
  private static final String FIGURES =
      Stream.of(JobFigure.values())
          .map(figure -> "job." + figure.field())
          .collect(Collectors.joining(", "));

  private final Sql sql;

  private HistoryStore(Sql sql) {
    this.sql = sql;
  }

  /** Opens the file; empty if it does not exist yet. */
  public static Optional<HistoryStore> open(Path file) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Sql sql = Sql.open(file, true);
    try {
      if (HistorySchema.version(sql) < HistorySchema.VERSION) {
        // it is being made, or has an older version that only the agent may convert
        sql.close();
        return Optional.empty();
      }
    } catch (HistoryException notOurs) {
      sql.close();
      throw notOurs;
    }
    return Optional.of(new HistoryStore(sql));
  }

  /** The time limit on the queries of one question to the agent. */
  public static final long QUESTION_NS = TimeUnit.SECONDS.toNanos(5);

  /** Starts a time limit on all further queries together; then they fail. */
  public HistoryStore limit(long ns) {
    sql.limit(ns);
    return this;
  }

  /** The jobs of a query, newest first. */
  public List<JobRecord> jobs(JobQuery query) {
    List<JobRecord> jobs = new ArrayList<>();
    eachJob(query, jobs::add);
    return jobs;
  }

  /**
   * Passes on the jobs of a query, newest first unless it says otherwise; only one job at a time is
   * in memory.
   */
  public void eachJob(JobQuery query, Consumer<JobRecord> consumer) {
    List<Object> values = new ArrayList<>(query.values());
    values.add(query.most());
    sql.each(
        row -> consumer.accept(job(row)),
        "SELECT job, state, kind, id, name, uid, user, priority, mode, begun_ns, ended_ns, "
            + FIGURES
            + ", refusals, refused_bytes, policy, share, turns, switches, service_ns,"
            + " l.waited_ns AS turn_waited_ns, kept_bytes, processes, largest_bytes"
            + " FROM job LEFT JOIN job_lane l USING (job) LEFT JOIN job_unscheduled USING (job)"
            + query.where()
            + " ORDER BY "
            + query.order()
            + " LIMIT ?",
        values);
  }

  private JobRecord job(ResultSet row) throws SQLException {
    TreeMap<Integer, DeviceUse> devices = new TreeMap<>();
    sql.each(
        use ->
            devices.put(
                use.getInt(1),
                new DeviceUse(use.getLong(2), use.getLong(3), orEmpty(use, "context_bytes"))),
        "SELECT device, requested_bytes, peak_bytes, context_bytes FROM job_device WHERE job = ?",
        List.of(row.getLong("job")));
    return new JobRecord(
        row.getLong("job"),
        State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
        row.getString("kind"),
        row.getLong("id"),
        row.getString("name"),
        (int) row.getLong("uid"),
        row.getString("user"),
        row.getInt("priority"),
        row.getString("mode"),
        row.getLong("begun_ns"),
        orEmpty(row, "ended_ns"),
        figures(row),
        new Refusals(row.getLong("refusals"), row.getLong("refused_bytes")),
        devices,
        lane(row),
        unscheduled(row));
  }

  private static Optional<Unscheduled> unscheduled(ResultSet row) throws SQLException {
    OptionalInt processes = intOrEmpty(row, "processes");
    return processes.isPresent()
        ? Optional.of(new Unscheduled(processes.getAsInt(), orEmpty(row, "largest_bytes")))
        : Optional.empty();
  }

  private static JobFigures figures(ResultSet row) throws SQLException {
    Map<JobFigure, Long> figures = new EnumMap<>(JobFigure.class);
    for (JobFigure figure : JobFigure.values()) {
      figures.put(figure, row.getLong(figure.field()));
    }
    return new JobFigures(figures);
  }

  private static Optional<LaneUse> lane(ResultSet row) throws SQLException {
    Optional<LanePolicy> policy = LanePolicy.ofText(row.getString("policy"));
    if (policy.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new LaneUse(
            policy.get(),
            row.getLong("share"),
            row.getLong("turns"),
            row.getLong("switches"),
            orEmpty(row, "service_ns"),
            row.getLong("turn_waited_ns"),
            row.getLong("kept_bytes")));
  }

  private static OptionalLong orEmpty(ResultSet row, String column) throws SQLException {
    long value = row.getLong(column);
    return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
  }

  private static OptionalInt intOrEmpty(ResultSet row, String column) throws SQLException {
    OptionalLong value = orEmpty(row, column);
    return value.isPresent() ? OptionalInt.of((int) value.getAsLong()) : OptionalInt.empty();
  }

  /**
   * Passes on samples of all devices from one moment to before another, oldest first.
   *
   * @param stepNs means over steps of that length; 1 = as sampled
   */
  public void eachDeviceSample(
      long fromNs, long untilNs, long stepNs, Consumer<DeviceSample> consumer) {
    sql.each(
        row -> {
          consumer.accept(
              new DeviceSample(
                  row.getLong("time_ns"),
                  row.getInt("number"),
                  row.getString("uuid"),
                  row.getString("name"),
                  row.getLong("total_bytes"),
                  row.getLong("reserved_bytes"),
                  row.getLong("in_use_bytes"),
                  orEmpty(row, "nvml_used_bytes"),
                  intOrEmpty(row, "utilisation_percent"),
                  row.getInt("jobs"),
                  row.getInt("waiting"),
                  intOrEmpty(row, "lanes"),
                  intOrEmpty(row, "waiting_turns")));
        },
        DEVICE_SAMPLES,
        List.of(fromNs, untilNs, stepNs));
  }

  /**
   * The first moment of this time of which there is a sample or a job.
   *
   * @param untilNs first moment after it
   */
  public OptionalLong firstNs(long fromNs, long untilNs) {
    long[] first = {untilNs};
    sql.each(
        row -> first[0] = Math.min(first[0], row.getLong(1)),
        "SELECT time_ns FROM device_sample WHERE time_ns >= ? ORDER BY time_ns LIMIT 1",
        List.of(fromNs));
    eachJob(
        JobQuery.all().since(fromNs).until(untilNs),
        job -> first[0] = Math.min(first[0], Math.max(fromNs, job.begunNs())));
    return first[0] < untilNs ? OptionalLong.of(first[0]) : OptionalLong.empty();
  }

  /** Passes on the samples of a job, oldest first. */
  public void eachJobSample(JobRecord job, Consumer<JobSample> consumer) {
    long untilNs = job.endedNs().isPresent() ? job.endedNs().getAsLong() + 1 : Long.MAX_VALUE;
    sql.each(
        row ->
            consumer.accept(
                new JobSample(
                    row.getLong("time_ns"),
                    row.getLong("job"),
                    row.getInt("device"),
                    row.getLong("held_bytes"),
                    row.getLong("in_use_bytes"))),
        JOB_SAMPLES,
        List.of(job.begunNs(), untilNs, job.row()));
  }

  /** What jobs reserved and used in a time, by user or account. */
  public List<JobUsage> usage(JobQuery query, JobUsage.By by, long sinceNs, long untilNs) {
    return JobUsage.of(sql, query, by, sinceNs, untilNs);
  }

  /**
   * How many ended jobs were lost, because while no agent ran more jobs ended than the region
   * remembers.
   */
  public long missed() {
    return sql.number("SELECT coalesce(sum(missed), 0) FROM region");
  }

  /** The time of the oldest record; empty if there is none. */
  public OptionalLong oldestNs() {
    long oldest = oldest(sql);
    return oldest == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(oldest);
  }

  static long oldest(Sql sql) {
    return sql.number(
        "SELECT min("
            + "coalesce((SELECT min(ended_ns) FROM job), 9223372036854775807),"
            + "coalesce((SELECT min(time_ns) FROM device_sample), 9223372036854775807))");
  }

  /** Only root may read a new file, from its first moment on. */
  static void makeFile(Path file) {
    try {
      Path folder = file.toAbsolutePath().getParent();
      if (!Files.exists(folder)) {
        Files.createDirectories(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } catch (FileAlreadyExistsException there) {
      return;
    } catch (IOException problem) {
      throw new HistoryException(
          "history: %s: cannot be made (%s): check its folder, or set HistoryFile"
              .formatted(file, problem.getMessage()));
    }
  }

  @Override
  public void close() {
    sql.close();
  }
}
